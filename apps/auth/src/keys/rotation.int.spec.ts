import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { listKeys, rotateKeys } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { eventually, patient, testContext } from '@holdfast/testing';
import type { Replica } from '../auth-stack.fixture.js';
import { startRelyingParties, type RelyingParties } from '../relying-party.fixture.js';
import { stubs } from '../service-stubs.fixture.js';

let { stack, shop } = {} as RelyingParties<'shop'>;
let bus: Bus;
let other: Replica;

beforeAll(async () => {
  ({ stack, shop } = await startRelyingParties({ shop: {} }));
  bus = patient(new Bus(await stack.connect('operator')));
  other = await stack.startReplica();
});
afterAll(async () => {
  await other.stop();
  await stack.stop();
});

const operator = () => testContext({ actor: { type: 'operator', id: 'operator' } });
const published = async (base = stack.base) => (await (await fetch(`${base}/o/acme/jwks`)).json()) as JSONWebKeySet;
const kidOf = (jwt: string) =>
  (JSON.parse(Buffer.from(jwt.split('.')[0]!, 'base64url').toString()) as { kid: string }).kid;
const states = async () =>
  (await bus.request(listKeys, { shortId: 'acme' }, operator())).keys.map(({ alg, state }) => `${alg} ${state}`).sort();

test('concurrent first requests create one set of keys, which is published without private members', async () => {
  await Promise.all([
    ...Array.from({ length: 20 }, () => fetch(`${stack.base}/o/globex/jwks`)),
    ...Array.from({ length: 20 }, () => fetch(`${other.base}/o/globex/jwks`)),
  ]);
  const { keys } = (await (await fetch(`${other.base}/o/globex/jwks`)).json()) as JSONWebKeySet;
  expect(keys.map((k) => [k.kty, k.alg, k.use]).sort()).toEqual([
    ['EC', 'ES256', 'sig'],
    ['RSA', 'RS256', 'sig'],
  ]);
  for (const key of keys)
    expect(Object.keys(key).some((member) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].includes(member))).toBe(false);
  expect(await published()).not.toEqual({ keys });
});

test('a new key is published before it signs, and tokens of the old one remain valid', async () => {
  const { tokens: before } = await shop.signIn();
  await bus.request(rotateKeys, { shortId: 'acme', overlapSeconds: 3600 }, operator());
  expect(await states()).toEqual(['ES256 next', 'ES256 signing', 'RS256 next', 'RS256 signing']);
  await eventually(
    async () => (await published()).keys.length === 4 && (await published(other.base)).keys.length === 4,
  );
  const { tokens: during } = await shop.signIn();
  expect(kidOf(during.id_token!)).toBe(kidOf(before.id_token!));
  // The hour has passed.
  await stack.database.query(
    `UPDATE auth.signing_key SET signs_from = now(), changed_at = now() WHERE signs_from > now()`,
  );
  const after = await eventually(async () => {
    const { tokens } = await shop.signIn();
    expect(kidOf(tokens.id_token!)).not.toBe(kidOf(before.id_token!));
    return tokens;
  });
  expect(await states()).toEqual(['ES256 signing', 'ES256 verifying', 'RS256 signing', 'RS256 verifying']);
  const keys = createLocalJWKSet(await published(other.base));
  for (const { id_token } of [before, during, after])
    await jwtVerify(id_token!, keys, { issuer: `${stack.base}/o/acme`, audience: shop.app.clientId });
  expect(stubs.records.filter(({ record }) => record.action === 'key.rotate')).toMatchObject([
    { org: 'acme', record: { actor: { type: 'operator' }, targets: [{ type: 'organization', id: 'acme' }] } },
  ]);
});

test('listing keys is recorded, and fails while audit is unavailable', async () => {
  stubs.records = stubs.records.filter(({ record }) => record.action !== 'key.list');
  await states();
  expect(stubs.records.filter(({ record }) => record.action === 'key.list')).toMatchObject([
    { org: 'acme', record: { actor: { type: 'operator' } } },
  ]);
  stubs.auditUnavailable = true;
  await expect(states()).rejects.toMatchObject({ code: 'unavailable' });
  stubs.auditUnavailable = false;
});

test('retired keys disappear at every replica at once', async () => {
  const { tokens } = await shop.signIn();
  const leaked = kidOf(tokens.id_token!);
  await bus.request(rotateKeys, { shortId: 'acme', retire: true }, operator());
  await eventually(async () => !JSON.stringify([await published(), await published(other.base)]).includes(leaked));
  expect((await published()).keys).toHaveLength(2);
  const again = await shop.signIn();
  expect(kidOf(again.tokens.id_token!)).not.toBe(leaked);
});

const rotations = () => stubs.records.filter(({ record }) => record.action === 'key.rotate');

test('a rotation succeeds while audit is unavailable, and its record is appended later, once', async () => {
  const before = rotations().length;
  const { tokens } = await shop.signIn();
  const leaked = kidOf(tokens.id_token!);
  stubs.auditUnavailable = true;
  await bus.request(rotateKeys, { shortId: 'acme', retire: true }, operator());
  await eventually(async () => !JSON.stringify([await published(), await published(other.base)]).includes(leaked));
  // Longer than the outbox waits before it tries again, at both replicas.
  await new Promise((resolve) => setTimeout(resolve, 3200));
  expect(rotations()).toHaveLength(before);
  stubs.auditUnavailable = false;
  await eventually(async () => (await stack.database.query('SELECT FROM auth.record_outbox')).length === 0);
  expect(rotations().slice(before)).toMatchObject([
    {
      org: 'acme',
      record: { actor: { type: 'operator' }, outcome: { result: 'success' }, changes: { retire: { to: true } } },
    },
  ]);
});

test('a rotation that does not commit, or of an unknown organization, leaves no record', async () => {
  const [before, recorded] = [await states(), rotations().length];
  // Fails at COMMIT, after everything that the transaction does.
  await stack.database.query(
    `CREATE FUNCTION auth.no_commit() RETURNS trigger LANGUAGE plpgsql
     AS 'BEGIN RAISE EXCEPTION ''the disk is full''; END'`,
  );
  await stack.database.query(
    `CREATE CONSTRAINT TRIGGER no_commit AFTER INSERT ON auth.signing_key DEFERRABLE INITIALLY DEFERRED
     FOR EACH ROW EXECUTE FUNCTION auth.no_commit()`,
  );
  await expect(bus.request(rotateKeys, { shortId: 'acme', overlapSeconds: 60 }, operator())).rejects.toMatchObject({
    code: 'internal',
  });
  await stack.database.query('DROP FUNCTION auth.no_commit() CASCADE');
  await expect(bus.request(rotateKeys, { shortId: 'nobody' }, operator())).rejects.toMatchObject({
    code: 'unknown_organization',
  });
  expect(await stack.database.query('SELECT FROM auth.record_outbox')).toEqual([]);
  expect([await states(), rotations().length]).toEqual([before, recorded]);
});
