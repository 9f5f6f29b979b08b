import { describe, expect, test } from '@jest/globals';
import {
  accessChanges,
  createApp,
  createOrganization,
  createSecret,
  disableApp,
  getApp,
  getClient,
  grantOperations,
  listApps,
  listSecrets,
  organizationProfile,
  revocationFeedSubject,
  revokeSecret,
  suspendOrganization,
  ungrantOperations,
  updateApp,
} from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { keyedHash } from '@holdfast/platform';
import { eventually, testContext } from '@holdfast/testing';
import { recordAccessChange } from './access/access-change.js';
import { told } from './audit-stub.fixture.js';
import {
  ask,
  buses,
  database,
  entryOf,
  eventOf,
  events,
  newApp,
  operator,
  pepper,
  withDirectory,
} from './directory.fixture.js';

withDirectory();

describe('organizations', () => {
  test('a short ID is taken once, also among twenty who want it at the same time', async () => {
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, () => ask(createOrganization, { shortId: 'initech', name: 'Initech' })),
    );
    expect(all.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
    expect(all.filter((r) => r.status === 'rejected').map((r) => (r.reason as { code: string }).code)).toEqual(
      Array(19).fill('conflict'),
    );
  });

  test('suspending is an event with its record, in the log of the organization acted on', async () => {
    await ask(createOrganization, { shortId: 'hooli', name: 'Hooli' });
    const context = testContext({ org: 'somewhere-else', actor: operator });
    await ask(suspendOrganization, { shortId: 'hooli', suspended: true }, 'operator', context);
    expect(await eventOf(context.auditId)).toMatchObject({
      type: 'organization.updated',
      org: 'hooli',
      version: 2,
      audit: {
        action: 'organization.suspend',
        actor: operator,
        targets: [{ type: 'organization', id: 'hooli' }],
        changes: { suspended: { from: false, to: true } },
      },
    });
  });

  test('the public sees its name, unless it is suspended', async () => {
    await ask(createOrganization, { shortId: 'umbrella', name: 'Umbrella & Co' });
    expect(await ask(organizationProfile, { shortId: 'umbrella' }, 'auth')).toEqual({
      shortId: 'umbrella',
      name: 'Umbrella & Co',
    });
    await ask(suspendOrganization, { shortId: 'umbrella', suspended: true });
    for (const shortId of ['umbrella', 'nobody'])
      await expect(ask(organizationProfile, { shortId }, 'gateway')).rejects.toMatchObject({
        code: 'unknown_organization',
      });
  });

  test('one that is not there', async () => {
    await expect(ask(suspendOrganization, { shortId: 'nobody', suspended: true })).rejects.toMatchObject({
      code: 'unknown_organization',
    });
    await expect(ask(listApps, { org: 'nobody' })).rejects.toMatchObject({ code: 'unknown_organization' });
    await expect(newApp('web', [], 'nobody')).rejects.toMatchObject({ code: 'unknown_organization' });
  });
});

describe('apps and grants', () => {
  test('a confidential app gets a secret, of which only the keyed hash is kept', async () => {
    const { app, secretId, clientSecret } = await newApp('web', ['offers:write']);
    const client = await ask(getClient, { clientId: app.clientId }, 'auth');
    expect(client.secrets).toEqual([{ id: secretId, hash: keyedHash(pepper, clientSecret!).toString('base64url') }]);
    const stored = JSON.stringify([
      await database.query('SELECT * FROM directory.app_secret'),
      await database.query('SELECT * FROM directory.outbox'),
      events,
    ]);
    expect(stored).not.toContain(clientSecret);
  });

  test('a public app gets none and may be granted nothing', async () => {
    const { app, clientSecret } = await newApp('spa');
    expect(clientSecret).toBeUndefined();
    await expect(ask(createSecret, { clientId: app.clientId })).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(ask(grantOperations, { clientId: app.clientId, operations: ['offers:write'] })).rejects.toMatchObject({
      code: 'not_grantable',
    });
  });

  test('a name is unique within its organization only', async () => {
    await ask(createApp, { org: 'acme', name: 'twice', kind: 'web' });
    await expect(ask(createApp, { org: 'acme', name: 'twice', kind: 'web' })).rejects.toMatchObject({
      code: 'conflict',
    });
    await ask(createOrganization, { shortId: 'globex', name: 'Globex' });
    await ask(createApp, { org: 'globex', name: 'twice', kind: 'web' });
  });

  test.each([
    ['web', 'users:read'],
    ['web', 'roles:manage'],
    ['service', 'billing:manage'],
    ['service', 'no:such'],
  ] as const)('%s cannot hold %s', async (kind, operation) => {
    await expect(newApp(kind, [operation])).rejects.toMatchObject({ code: 'not_grantable' });
    const { app } = await newApp(kind);
    await expect(ask(grantOperations, { clientId: app.clientId, operations: [operation] })).rejects.toMatchObject({
      code: 'not_grantable',
    });
    // Nor when the code is passed by: the table refuses it.
    const insert = `INSERT INTO directory.app_grant (client_id, kind, operation) VALUES ($1, $2, $3)`;
    await expect(database.query(insert, [app.clientId, kind, operation])).rejects.toMatchObject({
      constraint: 'app_grant_grantable',
    });
    if (kind === 'web') await expect(database.query(insert, [app.clientId, 'service', operation])).rejects.toThrow();
  });

  test('granting, taking away and disabling: what shrinks ends older tokens, what grows does not', async () => {
    const {
      app: { clientId },
    } = await newApp('web', ['offers:write']);
    const grown = await ask(grantOperations, { clientId, operations: ['issued:read', 'issued:read'] });
    expect(grown).toMatchObject({ version: 2, scopes: ['issued:read', 'offers:write'] });
    expect(await entryOf(clientId)).toMatchObject({ minVersion: 0, disabled: false });
    const shrunk = await ask(ungrantOperations, { clientId, operations: ['offers:write'] });
    expect(shrunk).toMatchObject({ version: 3, scopes: ['issued:read'] });
    expect(await entryOf(clientId)).toMatchObject({ minVersion: 3 });
    await ask(disableApp, { clientId, disabled: true });
    expect(await entryOf(clientId)).toMatchObject({ disabled: true, minVersion: 4 });
    expect((await ask(disableApp, { clientId, disabled: false })).version).toBe(5);
    expect(await entryOf(clientId)).toMatchObject({ disabled: false, minVersion: 4 });
  });

  test('how an app signs customers in can be said, changed and is recorded', async () => {
    const created = await ask(createApp, {
      org: 'acme',
      name: 'signs in',
      kind: 'web',
      redirectUris: ['https://a.example/cb'],
    });
    expect(created.app).toMatchObject({ postLogoutRedirectUris: [], refreshTokens: true, pkce: 'required' });
    const { clientId } = created.app;
    const context = testContext({ actor: operator });
    const updated = await ask(
      updateApp,
      {
        clientId,
        postLogoutRedirectUris: ['https://a.example/bye'],
        refreshTokens: false,
        pkce: 'optional',
        redirectUris: ['https://a.example/cb'],
      },
      'operator',
      context,
    );
    expect(updated).toMatchObject({
      name: 'signs in',
      redirectUris: ['https://a.example/cb'],
      postLogoutRedirectUris: ['https://a.example/bye'],
      refreshTokens: false,
      pkce: 'optional',
      version: 2,
    });
    expect(await eventOf(context.auditId)).toMatchObject({ type: 'app.updated', audit: { action: 'app.update' } });
    expect((await eventOf(context.auditId)).audit!.changes).toEqual({
      postLogoutRedirectUris: { from: [], to: ['https://a.example/bye'] },
      refreshTokens: { from: true, to: false },
      pkce: { from: 'required', to: 'optional' },
    });
    expect((await ask(getClient, { clientId }, 'auth')).app).toEqual(updated);
    await ask(createApp, { org: 'acme', name: 'in the way', kind: 'web' });
    await expect(ask(updateApp, { clientId, name: 'in the way' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(ask(updateApp, { clientId, redirectUris: ['com.example.app:/in'] })).rejects.toMatchObject({
      code: 'invalid_request',
      status: 422,
    });
    const native = await ask(createApp, {
      org: 'acme',
      name: 'phone',
      kind: 'native',
      redirectUris: ['com.example.app:/in'],
    });
    expect(native.app.redirectUris).toEqual(['com.example.app:/in']);
    for (const uri of [
      'http://a.example/',
      'https://u@a.example/',
      'https://a.example/#x',
      'javascript:alert(1)',
      'app:/in',
    ])
      await expect(ask(updateApp, { clientId, redirectUris: [uri] })).rejects.toMatchObject({
        code: 'invalid_request',
      });
  });

  test.each(['spa', 'native', 'service'] as const)(
    '%s: PKCE is not optional, and the table says so too',
    async (kind) => {
      await expect(
        ask(createApp, { org: 'acme', name: `optional ${kind}`, kind, pkce: 'optional' }),
      ).rejects.toMatchObject({ code: 'invalid_request' });
      const { app } = await newApp(kind);
      await expect(ask(updateApp, { clientId: app.clientId, pkce: 'optional' })).rejects.toMatchObject({
        code: 'invalid_request',
      });
      await expect(
        database.query(`UPDATE directory.app SET pkce = 'optional' WHERE client_id = $1`, [app.clientId]),
      ).rejects.toMatchObject({ constraint: 'app_pkce' });
    },
  );

  test('an app that is not there', async () => {
    for (const [contract, rest] of [
      [getApp, {}],
      [disableApp, { disabled: true }],
      [createSecret, {}],
      [listSecrets, {}],
    ] as const) {
      await expect(ask(contract as typeof getApp, { clientId: 'app_x', ...rest })).rejects.toMatchObject({
        code: 'unknown_app',
      });
    }
  });
});

test("what the operator reads stands in the log of whose it is, whatever the caller's context says; else it is not given out", async () => {
  const {
    app: { clientId },
  } = await newApp('web', [], 'initech');
  const reads = async () =>
    (
      await Promise.allSettled([
        ask(listApps, { org: 'initech' }),
        ask(getApp, { clientId }),
        ask(listSecrets, { clientId }),
      ])
    ).map((r) => r.status);
  expect([...new Set(await reads()), ...told.read.filter((line) => line.startsWith('initech')).sort()]).toEqual([
    'fulfilled',
    'initech app.list',
    `initech app.read ${clientId}`,
    `initech app.secret.list ${clientId}`,
  ]);
  told.away = true;
  expect([...new Set(await reads())]).toEqual(['rejected']);
  told.away = false;
});

describe('secrets', () => {
  test('never more than two live, with twenty asking at the same time', async () => {
    const {
      app: { clientId },
    } = await newApp('web');
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => ask(createSecret, { clientId })));
    expect(all.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
    expect(
      await database.query('SELECT 1 FROM directory.app_secret WHERE client_id = $1 AND revoked_at IS NULL', [
        clientId,
      ]),
    ).toHaveLength(2);
  });

  test('the table alone would not take a third', async () => {
    const {
      app: { clientId },
    } = await newApp('web');
    await ask(createSecret, { clientId });
    const third = database.query(
      `INSERT INTO directory.app_secret (id, client_id, hash, slot) VALUES ('sec_3', $1, '', 1)`,
      [clientId],
    );
    await expect(third).rejects.toMatchObject({ constraint: 'app_secret_slot' });
  });

  test('revoking ends only what was got with it, and makes room', async () => {
    const {
      app: { clientId },
      secretId,
    } = await newApp('web');
    const second = await ask(createSecret, { clientId });
    await ask(revokeSecret, { clientId, secretId: secretId! });
    expect(await entryOf(clientId)).toMatchObject({ minVersion: 0, revokedSecrets: [secretId] });
    expect((await ask(listSecrets, { clientId })).items.map((s) => s.id)).toEqual([second.secretId]);
    await expect(ask(revokeSecret, { clientId, secretId: secretId! })).rejects.toMatchObject({
      code: 'unknown_secret',
    });
    await ask(createSecret, { clientId });
  });
});

describe('the feed of access', () => {
  test('seq follows the order of commits: who has seen one has missed none before it', async () => {
    const apps = await Promise.all(Array.from({ length: 8 }, () => newApp('web')));
    let seen = (await ask(accessChanges, { since: 0 }, 'gateway')).seq;
    const found = new Map<string, number>();
    let changing = true;
    const reader = (async () => {
      while (changing) {
        const { seq, entries } = await ask(accessChanges, { since: seen }, 'gateway');
        for (const entry of entries) found.set(entry.id, entry.minVersion);
        seen = seq;
      }
    })();
    const disable = async ({ app }: (typeof apps)[number]) => {
      for (let i = 0; i < 10; i += 1) await ask(disableApp, { clientId: app.clientId, disabled: true });
    };
    await Promise.all(apps.map(disable));
    changing = false;
    await reader;
    const { entries } = await ask(accessChanges, { since: seen }, 'gateway');
    for (const entry of entries) found.set(entry.id, entry.minVersion);
    expect(apps.map(({ app }) => found.get(app.clientId))).toEqual(Array(8).fill(11));
  });

  test('a change that is not committed yet holds up the ones after it', async () => {
    const db = await Database.connect({ url: database.url(), pool: 2, applicationName: 'test' });
    const order: string[] = [];
    let commitFirst = () => undefined as void;
    const first = db.transaction(async (sql) => {
      await recordAccessChange(sql, { kind: 'organization', id: 'acme' });
      await new Promise<void>((resolve) => (commitFirst = resolve));
      order.push('first');
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const second = db
      .transaction((sql) => recordAccessChange(sql, { kind: 'organization', id: 'acme' }))
      .then(() => order.push('second'));
    await new Promise((resolve) => setTimeout(resolve, 200));
    commitFirst();
    await Promise.all([first, second]);
    await db.close();
    expect(order).toEqual(['first', 'second']);
  });

  test('a heartbeat comes four times a second and right after a change', async () => {
    const seqs: number[] = [];
    const gateway = buses.get('gateway')!.connection;
    const subscription = gateway.subscribe(revocationFeedSubject, {
      callback: (_, message) => void seqs.push(message.json<{ seq: number }>().seq),
    });
    await eventually(() => seqs.length >= 4, 1500);
    const before = seqs.at(-1)!;
    await newApp('web');
    await eventually(() => seqs.at(-1)! > before, 100);
    subscription.unsubscribe();
  });

  test('is silent while the database is away, and speaks again', async () => {
    let heard = 0;
    const subscription = buses
      .get('gateway')!
      .connection.subscribe(revocationFeedSubject, { callback: () => void (heard += 1) });
    await database.refuseConnections(true);
    heard = 0;
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(heard).toBe(0);
    await expect(ask(accessChanges, { since: 0 }, 'gateway')).rejects.toMatchObject({ code: 'unavailable' });
    await database.refuseConnections(false);
    await eventually(() => heard > 0);
    subscription.unsubscribe();
  });
});
