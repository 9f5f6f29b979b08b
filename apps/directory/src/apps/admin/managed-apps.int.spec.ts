import { randomInt, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  adminCreateApp,
  adminCreateSecret,
  adminDeleteApp,
  adminDisableApp,
  adminGetApp,
  adminListSecrets,
  adminRevokeSecret,
  adminUpdateApp,
  assign,
  createApp,
  createOrganization,
  getApp,
  getClient,
  grantOperations,
  hubClientId,
  listApps,
  ungrantOperations,
  updateApp,
  type Actor,
  type AppPatch,
  type RequestOf,
} from '@holdfast/contracts';
import { eventually, testContext } from '@holdfast/testing';
import {
  database,
  entryOf,
  eventOf,
  insertProgram,
  newApp,
  newName,
  request,
  withDirectory,
} from '../../directory.fixture.js';

withDirectory();

const program = 'app_programprogramprogra';
const elsewhere = 'app_elsewhereelsewhereel';
beforeAll(() => insertProgram(program));

const as = (actor: Actor = { type: 'app', id: program }, org = 'acme') => testContext({ org, actor });
const person = (): Actor => ({ type: 'person', id: randomUUID() });
const gateway = 'gateway';

type Given = Partial<RequestOf<typeof adminCreateApp>['app']>;
const create = async (given: Given = {}, context = as()) =>
  (await request(adminCreateApp, { app: { name: newName('app'), kind: 'web', ...given } }, gateway, context)).app;
const update = (clientId: string, changes: AppPatch, more: object = {}, context = as()) =>
  request(adminUpdateApp, { clientId, changes, ...more }, gateway, context);
const remove = (clientId: string, more: object = {}, context = as()) =>
  request(adminDeleteApp, { clientId, ...more }, gateway, context);
const newSecret = (clientId: string, more: object = {}, context = as()) =>
  request(adminCreateSecret, { clientId, ...more }, gateway, context);
const get = (clientId: string) => request(adminGetApp, { clientId }, gateway, as());

/** An app without scope that a program made. */
async function insertAppOf(createdBy: string, takenOver = false): Promise<{ clientId: string }> {
  const clientId = `app_${randomUUID().replaceAll('-', '').slice(0, 22)}`;
  await database.query(
    `INSERT INTO directory.app
       (client_id, org, name, kind, audience, redirect_uris, api_version, created_by, taken_over)
     VALUES ($1, 'acme', $1, 'spa', 'customers', '{}', '2026-11-01', $2, $3)`,
    [clientId, createdBy, takenOver],
  );
  return { clientId };
}

/** Every change of an app by the Admin API. */
const changes: Record<string, (clientId: string, context?: ReturnType<typeof as>) => Promise<unknown>> = {
  update: (clientId, context) => update(clientId, { redirectUris: ['https://evil.example/in'] }, {}, context),
  rename: (clientId, context) => update(clientId, { name: newName('renamed') }, {}, context),
  disable: (clientId, context = as()) => request(adminDisableApp, { clientId, disabled: true }, gateway, context),
  enable: (clientId, context = as()) => request(adminDisableApp, { clientId, disabled: false }, gateway, context),
  delete: (clientId, context) => remove(clientId, {}, context),
  'create a secret': (clientId, context) => newSecret(clientId, {}, context),
  'revoke a secret': (clientId, context = as()) =>
    request(adminRevokeSecret, { clientId, secretId: 'sec_abcdefghijkl' }, gateway, context),
};

describe('a change', () => {
  test('sets the given members, removes those that are null, and says in its record what was before', async () => {
    const { clientId } = await create({ displayName: 'Shop', helpUri: 'https://a.example/', idTokenAlg: 'ES256' });
    const context = as();
    const given = {
      displayName: null,
      idTokenAlg: null,
      helpUri: 'https://b.example/',
      redirectUris: ['https://b.example/in'],
    };
    const { app } = await update(clientId, given, {}, context);
    expect(app).toMatchObject({ helpUri: 'https://b.example/', redirectUris: ['https://b.example/in'], version: 2 });
    expect(app).not.toHaveProperty('displayName');
    expect(await get(clientId)).toEqual(app);
    const event = await eventOf(context.auditId);
    expect(event).toMatchObject({ type: 'app.updated', version: 2, data: { app: clientId } });
    expect(event.audit).toMatchObject({ action: 'app.update', targets: [{ type: 'app', id: clientId }] });
    expect(event.audit!.changes).toEqual({
      displayName: { from: 'Shop', to: null },
      idTokenAlg: { from: 'ES256', to: null },
      helpUri: { from: 'https://a.example/', to: 'https://b.example/' },
      redirectUris: { from: [], to: ['https://b.example/in'] },
    });
  });

  test('with another version in If-Match changes nothing', async () => {
    const { clientId } = await create();
    await update(clientId, { displayName: 'One' }, { ifVersions: [1, 7] });
    for (const ifVersions of [[1], []]) {
      await expect(update(clientId, { displayName: 'Two' }, { ifVersions })).rejects.toMatchObject({
        code: 'precondition_failed',
      });
      await expect(remove(clientId, { ifVersions })).rejects.toMatchObject({ code: 'precondition_failed' });
    }
    expect(await get(clientId)).toMatchObject({ displayName: 'One', version: 2 });
  });

  test('of two with one version in If-Match, one wins', async () => {
    const { clientId } = await create();
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) => update(clientId, { displayName: `${i}` }, { ifVersions: [1] })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await get(clientId)).version).toBe(2);
  });

  test('to the name of another app is a conflict', async () => {
    const [one, other] = [await create(), await create()];
    await expect(update(one.clientId, { name: other.name })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('of settings that the kind of app cannot have is refused, and nothing is stored', async () => {
    const { clientId } = await create({ kind: 'spa' });
    for (const given of [{ pkce: 'optional' }, { redirectUris: ['com.example.app:/in'] }] satisfies AppPatch[])
      await expect(update(clientId, given)).rejects.toMatchObject({ code: 'invalid_request', status: 422 });
    await expect(newSecret(clientId, { mayManageGrants: true }, as(person()))).rejects.toMatchObject({
      code: 'invalid_state',
    });
    expect(await get(clientId)).toMatchObject({ version: 1, pkce: 'required', redirectUris: [] });
  });

  test('to PKCE without a nonce is for the operator: it is refused, shown, and may be made stricter', async () => {
    const weaker = { pkce: 'optional_without_nonce' } as unknown as AppPatch & Given;
    await expect(create(weaker)).rejects.toMatchObject({ code: 'invalid_request' });
    const { clientId } = await create();
    await expect(update(clientId, weaker)).rejects.toMatchObject({ code: 'invalid_request' });
    await request(updateApp, { clientId, pkce: 'optional_without_nonce' });
    expect(await get(clientId)).toMatchObject({ version: 2, pkce: 'optional_without_nonce' });
    // The operator has taken the app over by that, so that people change it now.
    const rights = { mayManageGrants: true, signedInRecently: true };
    await update(clientId, { displayName: 'Shop' }, rights, as(person()));
    expect(await get(clientId)).toMatchObject({ version: 3, pkce: 'optional_without_nonce' });
    await update(clientId, { pkce: 'required' }, rights, as(person()));
    expect(await get(clientId)).toMatchObject({ version: 4, pkce: 'required' });
  });

  test('disables and enables, and the tokens from before stay refused', async () => {
    const { clientId } = await create();
    expect(await changes.disable!(clientId)).toMatchObject({ app: { status: 'disabled', version: 2 } });
    expect(await changes.enable!(clientId)).toMatchObject({ app: { status: 'enabled', version: 3 } });
    expect(await entryOf(clientId)).toMatchObject({ disabled: false, minVersion: 2 });
  });
});

describe('a program that manages apps', () => {
  beforeAll(async () => {
    await request(createOrganization, { shortId: 'globex', name: 'Globex' });
    await insertProgram(elsewhere, 'globex');
  });

  test.each(Object.keys(changes))('refuses a program to %s what is not its to change', async (name) => {
    const scoped = (await newApp('web', ['offers:write'])).app;
    const service = (await newApp('service')).app;
    const builtIn = { clientId: hubClientId('acme') };
    const others = [(await newApp('spa')).app, (await newApp('native')).app, (await newApp('web')).app];
    const ofProgram = await insertAppOf('app_anotheranotheranothe');
    const takenOver = await insertAppOf(program, true);
    for (const { clientId } of [scoped, service, builtIn, ...others, ofProgram, takenOver]) {
      await expect(changes[name]!(clientId)).rejects.toMatchObject({
        code: 'app_protected',
        targets: [{ type: 'app', id: clientId }],
      });
      expect((await request(getApp, { clientId })).version).toBe(1);
    }
    await expect(changes[name]!(service.clientId, as({ type: 'app', id: service.clientId }))).rejects.toMatchObject({
      code: 'app_protected',
    });
    await expect(changes[name]!(builtIn.clientId, as(person()))).rejects.toMatchObject({ code: 'app_protected' });
  });

  test.each(Object.keys(changes))('does not tell another organization that an app exists: %s', async (name) => {
    const { clientId } = await create();
    const foreign = as({ type: 'app', id: elsewhere }, 'globex');
    await expect(changes[name]!(clientId, foreign)).rejects.toMatchObject({ code: 'unknown_app' });
    await expect(changes[name]!('app_aaaaaaaaaaaaaaaaaaaaaa')).rejects.toMatchObject({ code: 'unknown_app' });
    await expect(request(adminListSecrets, { clientId }, gateway, foreign)).rejects.toMatchObject({
      code: 'unknown_app',
    });
  });

  test('lets a person with grants:manage change scoped and service apps, and no program that claims to', async () => {
    const { app } = await newApp('service', ['users:read']);
    const { clientId } = app;
    const rights = { mayManageGrants: true };
    await update(clientId, { displayName: 'Exporter' }, rights, as(person()));
    await newSecret(clientId, rights, as(person()));
    await expect(update(clientId, { displayName: 'Mine' }, rights)).rejects.toMatchObject({ code: 'app_protected' });
    await expect(newSecret(clientId, {}, as(person()))).rejects.toMatchObject({ code: 'app_protected' });
    const service = { name: newName('by a person'), kind: 'service' } as const;
    await expect(request(adminCreateApp, { app: service, ...rights }, gateway, as())).rejects.toMatchObject({
      code: 'app_protected',
    });
    const made = await request(adminCreateApp, { app: service, ...rights }, gateway, as(person()));
    expect(made.app).not.toHaveProperty('createdBy');
  });
});

describe('a change of what could take over an app', () => {
  const redirectUris = ['https://new.example/in'];
  const scopedApp = async () => (await newApp('web', ['offers:write'])).app.clientId;
  const rights = { mayManageGrants: true };

  test('needs a sign-in of the person a short time ago, and nothing is stored without it', async () => {
    const clientId = await scopedApp();
    for (const given of [{ redirectUris }, { postLogoutRedirectUris: redirectUris }, { pkce: 'optional' }] as const)
      await expect(update(clientId, given, rights, as(person()))).rejects.toMatchObject({
        code: 'step_up_required',
        targets: [{ type: 'app', id: clientId }],
      });
    expect((await get(clientId)).version).toBe(1);
    const recent = { ...rights, signedInRecently: true };
    const { app } = await update(clientId, { redirectUris }, recent, as(person()));
    expect(app).toMatchObject({ redirectUris, version: 2 });
  });

  test('needs it too when the app holds no scope, such as a public one', async () => {
    for (const kind of ['spa', 'native', 'web'] as const) {
      const { clientId } = (await newApp(kind)).app;
      await expect(update(clientId, { redirectUris }, rights, as(person()))).rejects.toMatchObject({
        code: 'step_up_required',
      });
    }
  });

  test('is none when the values stay', async () => {
    const clientId = await scopedApp();
    const { displayName } = (await update(clientId, { displayName: 'A', redirectUris: [] }, rights, as(person()))).app;
    expect(displayName).toBe('A');
  });

  test('is the same for a repeat with the Idempotency-Key, however long ago the sign-in is by then', async () => {
    const clientId = await scopedApp();
    const context = as(person());
    const keyed = { ...rights, idempotencyKey: 'k' };
    await expect(update(clientId, { redirectUris }, keyed, context)).rejects.toMatchObject({
      code: 'step_up_required',
    });
    const first = await update(clientId, { redirectUris }, { ...keyed, signedInRecently: true }, context);
    const repeated = { ...context, auditId: randomUUID() };
    expect(await update(clientId, { redirectUris }, keyed, repeated)).toEqual({ ...first, replayed: {} });
  });
});

describe('client secrets', () => {
  test('are created for apps that the program made, two at most however many ask at once', async () => {
    const { clientId } = await create();
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => newSecret(clientId)));
    const created = results.flatMap((r) => (r.status === 'fulfilled' ? [r.value.secret] : []));
    expect(created).toHaveLength(1);
    const { items } = await request(adminListSecrets, { clientId }, gateway, as());
    expect(items).toHaveLength(2);
    const { id, createdAt } = created[0]!;
    expect(items[0]).toEqual({ id, createdAt, createdBy: program, madeBy: { type: 'app', id: program } });
    await request(adminRevokeSecret, { clientId, secretId: items[1]!.id }, gateway, as());
    await newSecret(clientId);
    await expect(request(adminRevokeSecret, { clientId, secretId: items[1]!.id }, gateway, as())).rejects.toMatchObject(
      { code: 'unknown_secret' },
    );
  });

  test('of apps that others made are out of reach', async () => {
    const made = (await newApp('web')).app;
    await expect(newSecret(made.clientId)).rejects.toMatchObject({ code: 'app_protected' });
  });

  test('are the same for a repeat with the Idempotency-Key, which stores no value in plain text', async () => {
    const { clientId } = await create();
    const first = await newSecret(clientId, { idempotencyKey: 'k' });
    expect(await newSecret(clientId, { idempotencyKey: 'k' })).toEqual({ ...first, replayed: {} });
    const rows = await database.query<{ response: Buffer }>('SELECT response FROM directory.idempotency');
    expect(rows.some(({ response }) => response.includes(first.secret.clientSecret))).toBe(false);
  });

  test('that a program knows never belong to an app with a scope, in any order of calls', async () => {
    const seed = randomInt(2 ** 31);
    process.stdout.write(`seed of the calls: ${seed}\n`);
    let state = seed;
    const random = (n: number) => (state = (Math.imul(state, 48_271) + 11) >>> 0) % n;
    const apps = [(await newApp('web', ['offers:write'])).app.clientId, (await newApp('web')).app.clientId];
    const known = new Set<string>();
    const remember = ({ secret }: { secret?: { id: string } | undefined }) => void (secret && known.add(secret.id));
    const calls: ((clientId: string) => Promise<unknown>)[] = [
      async () => {
        const app = await create();
        apps.push(app.clientId);
        remember(app);
      },
      async (clientId) => remember(await newSecret(clientId)),
      async (clientId) => {
        const { items } = await request(adminListSecrets, { clientId }, gateway, as());
        for (const { id } of items) await request(adminRevokeSecret, { clientId, secretId: id }, gateway, as());
      },
      ...Object.values(changes).slice(0, 5),
      (clientId) => request(grantOperations, { clientId, operations: ['offers:write'] }),
      (clientId) => request(grantOperations, { clientId, operations: ['offers:write'] }),
      (clientId) => request(ungrantOperations, { clientId, operations: ['offers:write'] }),
    ];
    let granted = 0;
    for (let i = 0; i < 50; i += 1) {
      const pick = () => calls[random(calls.length)]!(apps[random(apps.length)]!).catch(() => undefined);
      await Promise.all([pick(), pick(), pick()]);
      const rows = await database.query<{ id: string }>(
        `SELECT s.id FROM directory.app_secret s JOIN directory.app_grant g USING (client_id)
         WHERE s.revoked_at IS NULL`,
      );
      granted += rows.length;
      expect(rows.filter(({ id }) => known.has(id))).toEqual([]);
    }
    expect(known.size).toBeGreaterThan(5);
    expect(granted).toBeGreaterThan(0);
  });
});

describe('a deleted app', () => {
  test('is gone for auth, reads and lists, its tokens are refused, and its name can be used again', async () => {
    const { clientId, name } = await create({ redirectUris: ['https://gone.example/in'] });
    const context = as();
    await remove(clientId, {}, context);
    for (const gone of [
      get(clientId),
      request(getApp, { clientId }),
      request(getClient, { clientId }, 'auth'),
      remove(clientId),
      update(clientId, {}),
      request(grantOperations, { clientId, operations: ['offers:write'] }),
    ])
      await expect(gone).rejects.toMatchObject({ code: 'unknown_app' });
    expect((await request(listApps, { org: 'acme' })).items.map((app) => app.clientId)).not.toContain(clientId);
    expect(await entryOf(clientId)).toMatchObject({ disabled: true, minVersion: 2 });
    const event = await eventOf(context.auditId);
    expect(event).toMatchObject({ type: 'app.deleted', version: 2, data: { app: clientId } });
    expect(event.audit).toMatchObject({ action: 'app.delete', changes: { name: { from: name } } });
    expect((await create({ name })).clientId).not.toBe(clientId);
    const rows = await database.query(
      `SELECT redirect_uris, (SELECT count(*)::int FROM directory.app_secret s WHERE s.client_id = a.client_id) AS n
       FROM directory.app a WHERE client_id = '${clientId}'`,
    );
    expect(rows).toEqual([{ redirect_uris: [], n: 0 }]);
  });

  test('has no assignments any more', async () => {
    const { clientId } = await create();
    await database.query(
      `WITH g AS (INSERT INTO directory.person_group (id, org, name, name_key)
         VALUES (gen_random_uuid(), 'acme', 'staff', 'staff') RETURNING id)
       INSERT INTO directory.assignment (id, org, client_id, group_id)
       SELECT gen_random_uuid(), 'acme', '${clientId}', id FROM g`,
    );
    await remove(clientId);
    await eventually(async () => (await database.query('SELECT 1 FROM directory.assignment')).length === 0);
  });

  test('gets no assignment that is made at the same time', async () => {
    const group = randomUUID();
    await database.query(
      `INSERT INTO directory.person_group (id, org, name, name_key) VALUES ('${group}', 'acme', 'race', 'race')`,
    );
    for (let i = 0; i < 8; i += 1) {
      const { clientId } = await create({ audience: 'people' });
      const [assigned, removed] = await Promise.allSettled([
        request(assign, { clientId, assignee: { group } }, gateway, as()),
        remove(clientId),
      ]);
      expect(removed.status).toBe('fulfilled');
      if (assigned.status === 'rejected') expect(assigned.reason).toMatchObject({ code: 'unknown_app' });
      await eventually(async () => {
        const rows = await database.query(`SELECT 1 FROM directory.assignment WHERE client_id = '${clientId}'`);
        return rows.length === 0;
      });
    }
  });

  test('is deleted once, and for good, whatever happens at the same time', async () => {
    for (let i = 0; i < 5; i += 1) {
      const { clientId } = (await newApp('web')).app;
      const rights = { mayManageGrants: true };
      const results = await Promise.allSettled([
        remove(clientId, rights, as(person())),
        remove(clientId, rights, as(person())),
        update(clientId, { displayName: 'late' }, rights, as(person())),
        request(grantOperations, { clientId, operations: ['offers:write'] }),
        request(adminDisableApp, { clientId, disabled: false, ...rights }, gateway, as(person())),
      ]);
      const [row] = await database.query<{ deleted: boolean; disabled: boolean; grants: number; secrets: number }>(
        `SELECT deleted_at IS NOT NULL AS deleted, disabled,
           (SELECT count(*)::int FROM directory.app_grant g WHERE g.client_id = a.client_id) AS grants,
           (SELECT count(*)::int FROM directory.app_secret s WHERE s.client_id = a.client_id) AS secrets
         FROM directory.app a WHERE client_id = '${clientId}'`,
      );
      const wins = results.slice(0, 2).filter(({ status }) => status === 'fulfilled').length;
      expect([wins, row]).toEqual([1, { deleted: true, disabled: true, grants: 0, secrets: 0 }]);
    }
  });
});

test('an organization gets no more apps than it may have, however many are created at once', async () => {
  await request(createOrganization, { shortId: 'full', name: 'Full' });
  await database.query(
    `INSERT INTO directory.app (client_id, org, name, kind, audience, redirect_uris, api_version)
     SELECT 'app_' || lpad(n::text, 22, '0'), 'full', 'full ' || n, 'spa', 'customers', '{}', '2026-11-01'
     FROM generate_series(1, 997) n`,
  );
  await insertProgram('app_fullfullfullfullfullfu', 'full');
  const inFull = () => as({ type: 'app', id: 'app_fullfullfullfullfullfu' }, 'full');
  const results = await Promise.allSettled([
    ...Array.from({ length: 5 }, () => create({}, inFull())),
    request(createApp, { org: 'full', name: 'operator', kind: 'web' }),
  ]);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'limit_reached' });
  const someone = testContext({ org: 'full', actor: person() });
  await remove(`app_${'1'.padStart(22, '0')}`, { mayManageGrants: true }, someone);
  await create({}, inFull());
});
