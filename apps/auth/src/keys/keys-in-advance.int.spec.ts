import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { AuthStack, type Replica } from '../auth-stack.fixture.js';
import { directoryEvent } from '../person-stubs.fixture.js';
import { stubs } from '../service-stubs.fixture.js';
import { issuerOf, SigningKeys } from './signing-keys.js';

let stack: AuthStack;
let other: Replica;

beforeAll(async () => {
  stack = await AuthStack.start();
  other = await stack.startReplica();
});
afterAll(async () => {
  await other.stop();
  await stack.stop();
});

const keysOf = (org: string) =>
  stack.database.query<{ alg: string }>('SELECT alg FROM auth.signing_key WHERE issuer = $1 ORDER BY alg', [
    issuerOf(org),
  ]);
const create = (org: string) => stack.publishFromDirectory(directoryEvent('organization.created', { org }));
const bothKeys = [{ alg: 'ES256' }, { alg: 'RS256' }];

test('a new organization has its keys before its first request', async () => {
  await create('initech');
  await eventually(async () => (await keysOf('initech')).length > 0);
  expect(await keysOf('initech')).toEqual(bothKeys);
});

test('a repeated event and ten requests at two replicas leave one set of keys', async () => {
  stubs.organizations.set('hooli', 'Hooli');
  const requests = [stack.base, other.base].flatMap((base) => Array<string>(5).fill(`${base}/o/hooli/jwks`));
  const [responses] = await Promise.all([
    Promise.all(requests.map(async (url) => (await fetch(url)).text())),
    create('hooli'),
    create('hooli'),
  ]);
  // An event that follows has been handled, so both of these have been, by whichever replica.
  for (const org of ['later-1', 'later-2', 'later-3']) await create(org);
  await eventually(async () => (await keysOf('later-3')).length > 0);
  expect(await keysOf('hooli')).toEqual(bothKeys);
  expect(new Set(responses).size).toBe(1);
});

test('keys that could not be created are created as soon as that succeeds', async () => {
  await stack.database.query(
    `CREATE FUNCTION auth.no_keys() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''disk full''; END'`,
  );
  await stack.database.query(
    'CREATE TRIGGER no_keys BEFORE INSERT ON auth.signing_key FOR EACH ROW EXECUTE FUNCTION auth.no_keys()',
  );
  await create('umbrella');
  await eventually(() => stack.lines.some((line) => line.includes('Failed to create the signing keys')));
  expect(await keysOf('umbrella')).toEqual([]);
  await stack.database.query('DROP FUNCTION auth.no_keys() CASCADE');
  await eventually(async () => (await keysOf('umbrella')).length > 0);
  expect(await keysOf('umbrella')).toEqual(bothKeys);
});

test('keys exist already when an issuer is built at the first request', async () => {
  stubs.organizations.set('vandelay', 'Vandelay');
  await create('vandelay');
  await eventually(async () => (await keysOf('vandelay')).length > 0);
  const { listed } = await stack.auth.app.get(SigningKeys).load(issuerOf('vandelay'));
  const { keys } = (await (await fetch(`${other.base}/o/vandelay/jwks`)).json()) as { keys: { kid: string }[] };
  expect(keys.map(({ kid }) => kid).sort()).toEqual(listed.map(({ kid }) => kid).sort());
});
