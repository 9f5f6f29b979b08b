import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { AuditWriter, RecordOutbox } from '@holdfast/audit-client';
import { Database, migrate } from '@holdfast/data';
import { type Bus } from '@holdfast/messaging';
import { sha256, systemClock } from '@holdfast/platform';
import { createTestDatabase, eventually, type TestDatabase } from '@holdfast/testing';
import type { Config } from '../config.js';
import { LogoutNotifications } from '../logout/logout-notifications.js';
import { migrations } from '../migrations/index.js';
import { customerEvent } from '../service-stubs.fixture.js';
import { stateLimitsSchema } from '../state-limits.js';
import { deleteOld, SessionRevocations } from './session-revocations.js';
import { findWithGrant, StateStore } from './state-store.js';

let testDatabase: TestDatabase;
let database: Database;
let store: StateStore;
let revocations: SessionRevocations;
const newToken = () => randomBytes(32).toString('base64url');
const now = () => Math.floor(Date.now() / 1000);

beforeAll(async () => {
  testDatabase = await createTestDatabase('auth', (url) => migrate('auth', url, migrations), { isCopied: true });
  database = await Database.connect({ url: testDatabase.url(), pool: 12, applicationName: 'test' });
  const config = {
    KEY_ENCRYPTION_KEY: Buffer.alloc(32, 9),
    BACKCHANNEL_LOGOUT_SECONDS: 60,
    REFRESH_GRACE_SECONDS: 10,
    STATE_LIMITS: stateLimitsSchema.parse('AccessToken=5'),
  } as Config;
  store = new StateStore(database, config);
  revocations = new SessionRevocations(
    database,
    new LogoutNotifications(config, systemClock),
    new RecordOutbox(database, new AuditWriter({} as Bus), config),
    config,
  );
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});
beforeEach(() => testDatabase.query('DELETE FROM auth.oidc_state'));

/** A grant with a code and a refresh token. */
async function family(org = 'acme', account = randomUUID()) {
  const [grantId, code, refresh] = [newToken(), newToken(), newToken()];
  await store.upsert(org, 'Grant', grantId, { jti: grantId, accountId: account, iat: now() }, 60);
  for (const [model, id] of [
    ['AuthorizationCode', code],
    ['RefreshToken', refresh],
  ] as const)
    await store.upsert(org, model, id, { jti: id, grantId, accountId: account, iat: now() }, 60);
  return { org, account, grantId, code, refresh };
}
const models = async () =>
  (await testDatabase.query<{ model: string }>('SELECT model FROM auth.oidc_state')).map((row) => row.model).sort();

describe('consuming', () => {
  test('succeeds for one of fifty concurrent calls, and the others revoke the family', async () => {
    const { code } = await family();
    const other = await family();
    const all = await Promise.all(Array.from({ length: 50 }, () => store.consume('acme', 'AuthorizationCode', code)));
    expect(all.filter((outcome) => outcome === 'consumed')).toHaveLength(1);
    expect(await models()).toEqual(['AuthorizationCode', 'Grant', 'RefreshToken']);
    expect(await store.find('acme', 'Grant', other.grantId)).toBeTruthy();
  });
  test('is visible to later reads', async () => {
    const { refresh } = await family();
    expect((await store.find('acme', 'RefreshToken', refresh))?.consumed).toBeUndefined();
    await store.consume('acme', 'RefreshToken', refresh);
    expect((await store.find('acme', 'RefreshToken', refresh))?.consumed).toEqual(expect.any(Number));
  });
  test('is refused for an unknown token', async () => {
    expect(await store.consume('acme', 'RefreshToken', newToken())).toBe('refused');
  });
});

describe('a code or token with its grant', () => {
  test('is found in one statement, each with the id that its owner knows', async () => {
    const { code, grantId, account } = await family();
    expect(await store.findWithGrant('acme', 'AuthorizationCode', code)).toEqual({
      token: { jti: code, grantId, accountId: account, iat: expect.any(Number) },
      grant: { jti: grantId, accountId: account, iat: expect.any(Number) },
    });
  });
  test('is found alone once the grant is deleted or has expired', async () => {
    const { refresh, grantId } = await family();
    await testDatabase.query(`UPDATE auth.oidc_state SET expires_at = now() WHERE model = 'Grant'`);
    expect(await store.findWithGrant('acme', 'RefreshToken', refresh)).toEqual({ token: expect.anything() });
    await store.destroy('acme', 'Grant', grantId);
    expect(await store.findWithGrant('acme', 'RefreshToken', refresh)).toEqual({ token: expect.anything() });
  });
  test('is not found by another organization, nor when a row of a grant was replaced by another one', async () => {
    const { code } = await family();
    const other = await family();
    expect(await store.findWithGrant('globex', 'AuthorizationCode', code)).toBeUndefined();
    await testDatabase.query(
      `UPDATE auth.oidc_state SET payload = (SELECT payload FROM auth.oidc_state WHERE model = 'Grant' AND id = $1)
       WHERE model = 'Grant' AND id <> $1`,
      [sha256(other.grantId)],
    );
    await expect(store.findWithGrant('acme', 'AuthorizationCode', code)).rejects.toThrow();
  });
});

describe('an organization', () => {
  test('finds, consumes and deletes its own state only', async () => {
    const { code, grantId, refresh } = await family();
    expect(await store.find('globex', 'AuthorizationCode', code)).toBeUndefined();
    expect(await store.consume('globex', 'AuthorizationCode', code)).toBe('refused');
    await store.revokeByGrantId('globex', 'RefreshToken', grantId);
    await store.destroy('globex', 'RefreshToken', refresh);
    expect(await models()).toEqual(['AuthorizationCode', 'Grant', 'RefreshToken']);
  });
  test('cannot decrypt a row that was moved to it in the table', async () => {
    const { code, refresh } = await family();
    await testDatabase.query(`UPDATE auth.oidc_state SET org = 'globex' WHERE model = 'AuthorizationCode'`);
    await expect(store.find('globex', 'AuthorizationCode', code)).rejects.toThrow();
    await testDatabase.query(`UPDATE auth.oidc_state SET model = 'AccessToken' WHERE model = 'RefreshToken'`);
    await expect(store.find('acme', 'AccessToken', refresh)).rejects.toThrow();
  });
});

test('the table contains no id, payload or uid in plain text', async () => {
  const [id, uid] = [newToken(), newToken()];
  const account = randomUUID();
  await store.upsert(
    'acme',
    'Session',
    id,
    { jti: id, uid, accountId: account, loginTs: now(), acr: 'passkey-of-somebody' },
    60,
  );
  const dump = JSON.stringify(
    (await testDatabase.query<{ payload: Buffer }>('SELECT * FROM auth.oidc_state')).map((row) => ({
      ...row,
      payload: row.payload.toString('latin1'),
    })),
  );
  for (const secret of [id, uid, 'passkey-of-somebody']) expect(dump).not.toContain(secret);
  expect(await store.findByUid('acme', 'Session', uid)).toMatchObject({ uid, accountId: account });
  expect((await store.findByUid('acme', 'Session', uid))?.jti).toBeUndefined();
});

describe('a revocation', () => {
  const revoke = (type: 'subject.erasure_started' | 'credential.rekeyed', subject: string, version = 2) =>
    revocations.apply([customerEvent(type, subject, { version })]);

  test('by an erasure deletes the customer’s state in this organization, and prevents new state', async () => {
    const { account } = await family();
    await family('globex', account);
    await revoke('subject.erasure_started', account);
    expect(await models()).toHaveLength(3);
    await family('acme', account);
    expect(await models()).toHaveLength(3);
  });
  test('by a replaced passkey keeps later state, also when its event is late or repeated', async () => {
    const account = randomUUID();
    const id = newToken();
    const save = () =>
      store.upsert(
        'acme',
        'Session',
        id,
        { jti: id, uid: newToken(), accountId: account, loginTs: now(), version: 5 },
        60,
      );
    expect(await save()).toBe(true);
    await revoke('credential.rekeyed', account, 5);
    await revoke('credential.rekeyed', account, 4);
    expect(await store.find('acme', 'Session', id)).toMatchObject({ version: 5 });
    await revoke('credential.rekeyed', account, 6);
    expect(await store.find('acme', 'Session', id)).toBeUndefined();
    expect(await save()).toBe(false);
    expect(await store.find('acme', 'Session', id)).toBeUndefined();
  });
  test('of a session by concurrent calls notifies its apps once', async () => {
    const [account, uid, id] = [randomUUID(), newToken(), newToken()];
    await store.upsert(
      'acme',
      'Session',
      id,
      { jti: id, uid, accountId: account, loginTs: now(), authorizations: { app_1: { sid: 's' } } },
      60,
    );
    await Promise.all(Array.from({ length: 20 }, () => revocations.revokeSession('acme', uid)));
    expect(await testDatabase.query('SELECT client_id FROM auth.logout_notification')).toEqual([
      { client_id: 'app_1' },
    ]);
  });
  test('concurrent with fifty writes leaves nothing that a repeated event does not delete', async () => {
    const account = randomUUID();
    await Promise.all([
      ...Array.from({ length: 25 }, () => family('acme', account)),
      revoke('subject.erasure_started', account),
      ...Array.from({ length: 25 }, () => family('acme', account)),
    ]);
    await revoke('subject.erasure_started', account);
    expect(await models()).toEqual([]);
  });
});

test('the sweep deletes rows that expired more than a minute ago', async () => {
  await family();
  await testDatabase.query(
    `UPDATE auth.oidc_state SET expires_at = now() - interval '2 minutes' WHERE model <> 'Grant'`,
  );
  expect(await store.sweep(new Date())).toBe(2);
  expect(await models()).toEqual(['Grant']);
});

describe('an organization with the maximum of rows of a kind', () => {
  const save = (org: string, id = newToken()) =>
    store.upsert(org, 'AccessToken', id, { jti: id, accountId: randomUUID(), iat: now() }, 60).then(() => id);
  const full = expect.objectContaining({ statusCode: 503, error: 'temporarily_unavailable' });
  const rowsOf = async (org: string) =>
    (await testDatabase.query('SELECT 1 FROM auth.oidc_state WHERE org = $1', [org])).length;

  test('may change them, and store more only after some were deleted, while others store theirs', async () => {
    const [first] = await Promise.all([
      save('initech'),
      save('initech'),
      save('initech'),
      save('initech'),
      save('initech'),
    ]);
    await expect(save('initech')).rejects.toEqual(full);
    await save('initech', first);
    await save('umbrella');
    expect(await rowsOf('initech')).toBe(5);
    await store.destroy('initech', 'AccessToken', first);
    await eventually(() => save('initech'));
    await eventually(async () => expect(save('initech')).rejects.toEqual(full));
    expect(await rowsOf('initech')).toBe(5);
  });
});

test('a finished row is consumed once, cannot be written again, and has no content', async () => {
  const [uid, account] = [newToken(), randomUUID()];
  const result = { login: { accountId: account } };
  const save = () => store.upsert('acme', 'Interaction', uid, { jti: uid, result, iat: now() }, 60);
  expect(await save()).toBe(true);
  const all = await Promise.all(Array.from({ length: 20 }, () => store.finish('acme', 'Interaction', uid)));
  expect(all.filter(Boolean)).toHaveLength(1);
  expect(await save()).toBe(false);
  expect(await store.find('acme', 'Interaction', uid)).toEqual({ jti: uid, consumed: expect.any(Number) });
  expect(await testDatabase.query('SELECT account, payload, version FROM auth.oidc_state')).toEqual([
    { account: null, payload: Buffer.alloc(0), version: null },
  ]);
});

test('deleting old session revocations reads only those rows, however many others there are', async () => {
  const buffers: number[] = [];
  for (const rows of [1000, 30_000]) {
    await testDatabase.query(
      `INSERT INTO auth.session_revocation (key, at, erased)
       SELECT sha256(gen_random_uuid()::text::bytea), now(), false FROM generate_series(1, ${rows})`,
    );
    await testDatabase.query('VACUUM ANALYZE auth.session_revocation');
    buffers.push(await testDatabase.buffers(deleteOld.text, [new Date().toISOString()]));
  }
  expect(buffers[1]).toBeLessThanOrEqual(buffers[0]! * 1.5 + 10);
});

test('finding a token with its grant reads as much with two thousand other grants as with none', async () => {
  const { code } = await family();
  const values = ['acme', 'AuthorizationCode', sha256(code), new Date()];
  const alone = await testDatabase.buffers(findWithGrant.text, values);
  await testDatabase.query(
    `INSERT INTO auth.oidc_state (org, model, id, payload, expires_at)
     SELECT 'acme', 'Grant', sha256(n::text::bytea), '', now() + interval '1 hour' FROM generate_series(1, 2000) AS n`,
  );
  // Without statistics, PostgreSQL still believes that the table is one page, and may read the whole of it.
  await testDatabase.query('VACUUM ANALYZE auth.oidc_state');
  // Two lookups in an index, which now has one more level.
  expect(await testDatabase.buffers(findWithGrant.text, values)).toBeLessThanOrEqual(alone + 4);
});
