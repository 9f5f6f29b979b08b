import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  adminCreateApp,
  adminGetApp,
  adminListApps,
  createOrganization,
  getClient,
  grantOperations,
  hubClientId,
  type ReplyOf,
  type RequestOf,
} from '@holdfast/contracts';
import { keyedHash } from '@holdfast/platform';
import { testContext } from '@holdfast/testing';
import {
  database,
  eventOf,
  events,
  insertProgram,
  newApp,
  newName,
  pepper,
  request,
  withDirectory,
} from '../../directory.fixture.js';
import { byName, newest } from './admin-list-apps.handler.js';

withDirectory();

const program = 'app_programprogramprogra';
const another = 'app_anotheranotheranothe';
const ofInitech = 'app_initechinitechinitech1';
beforeAll(() => Promise.all([insertProgram(program), insertProgram(another)]));

const as = (id = program, org = 'acme') => testContext({ org, actor: { type: 'app', id } });
type Given = Partial<RequestOf<typeof adminCreateApp>['app']>;
const create = (given: Given = {}, idempotencyKey?: string, context = as()) =>
  request(
    adminCreateApp,
    { app: { name: newName('app'), kind: 'web', ...given }, ...(idempotencyKey && { idempotencyKey }) },
    'gateway',
    context,
  );
const stored = () => database.query<{ n: number }>('SELECT count(*)::int AS n FROM directory.app');

describe('an app that a program creates', () => {
  test('gets a secret, of which only the keyed hash is stored, and an event and record without it', async () => {
    const context = as();
    const { app } = await create({ logoUri: 'https://shop.example/logo.svg' }, 'key', context);
    expect(app).toMatchObject({ status: 'enabled', scopes: [], createdBy: program, version: 1 });
    const { id, clientSecret } = app.secret!;
    const client = await request(getClient, { clientId: app.clientId }, 'auth');
    expect(client.secrets).toEqual([{ id, hash: keyedHash(pepper, clientSecret).toString('base64url') }]);
    const event = await eventOf(context.auditId);
    expect(event).toMatchObject({ type: 'app.created', data: { app: app.clientId } });
    expect(event.audit).toMatchObject({
      action: 'app.create',
      actor: { type: 'app', id: program },
      targets: [
        { type: 'app', id: app.clientId },
        { type: 'secret', id },
      ],
      changes: { name: { to: app.name }, logoUri: { to: 'https://shop.example/logo.svg' } },
    });
    const rows = await Promise.all(
      ['app', 'app_secret', 'outbox', 'idempotency'].map((table) => database.query(`SELECT * FROM directory.${table}`)),
    );
    expect(JSON.stringify([rows, events])).not.toContain(clientSecret);
    expect(rows.flat().some((row) => Object.values(row).some((value) => String(value).includes(clientSecret)))).toBe(
      false,
    );
  });

  test('is shown to its organization without the secret, and is unknown to another one', async () => {
    const { app } = await create();
    const { secret: _, ...rest } = app;
    expect(await request(adminGetApp, { clientId: app.clientId }, 'gateway', as())).toEqual(rest);
    await request(createOrganization, { shortId: 'globex', name: 'Globex' });
    await expect(
      request(adminGetApp, { clientId: app.clientId }, 'gateway', as(program, 'globex')),
    ).rejects.toMatchObject({ code: 'unknown_app' });
  });

  test('is created once by any number of requests with one Idempotency-Key, and all get its secret', async () => {
    const name = newName('once');
    const key = randomUUID();
    const results = await Promise.allSettled(Array.from({ length: 12 }, () => create({ name }, key)));
    const replies = results.flatMap((r) => (r.status === 'fulfilled' ? [r.value] : []));
    const codes = results.flatMap((r) => (r.status === 'rejected' ? [(r.reason as { code: string }).code] : []));
    expect(new Set(replies.map(({ app }) => app.secret!.clientSecret)).size).toBe(1);
    expect(replies.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(codes.filter((code) => code !== 'idempotency_in_progress')).toEqual([]);
    await expect(create({ name: newName('other') }, key)).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    // Another caller has keys of its own.
    await expect(create({ name }, key, as(another))).rejects.toMatchObject({ code: 'conflict' });
  });

  test('is one of two with the same name that are created at the same time', async () => {
    const name = newName('race');
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => create({ name })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' });
  });

  test('is no service app, and nothing is stored of a refused one', async () => {
    const [before] = await stored();
    await expect(create({ kind: 'service' }, 'refused')).rejects.toMatchObject({ code: 'app_protected' });
    await expect(create({ name: 'a\u0000b' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(create({ name: 'shop \u202Eelgoog' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(create({ redirectUris: ['https://sh\u043Ep.example/in'] })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(create({ scopes: ['offers:write'] } as Given)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await stored()).toEqual([before]);
  });

  test('gets no scope while the program knows its secret', async () => {
    const { app } = await create();
    const { clientId } = app;
    await expect(request(grantOperations, { clientId, operations: ['offers:write'] })).rejects.toMatchObject({
      code: 'invalid_state',
      detail: expect.stringContaining(app.secret!.id),
    });
    const { app: other } = await newApp('web');
    await request(grantOperations, { clientId: other.clientId, operations: ['offers:write'] });
  });
});

describe('the list of apps', () => {
  beforeAll(async () => {
    await request(createOrganization, { shortId: 'initech', name: 'Initech' });
    await insertProgram(ofInitech, 'initech');
  });
  const inInitech = as(ofInitech, 'initech');
  const list = (query: object) =>
    request(adminListApps, { limit: 200, ...query }, 'gateway', as(ofInitech, 'initech')).then(({ items }) => items);

  test('has each app once, newest first, over pages of any size, and filters', async () => {
    const names = ['Zeta', 'alpha', 'Alphabet', 'ALP_x', 'Élan', 'beta%'];
    for (const name of names)
      await create({ name, kind: name === 'Zeta' ? 'spa' : 'web' }, undefined, { ...inInitech, auditId: randomUUID() });
    const all = await list({});
    // The hub is as old as the organization.
    const expected = [...names.toReversed(), ofInitech, hubClientId('initech')];
    expect(all.map(({ name }) => name)).toEqual(expected);
    expect(all.at(-1)).toMatchObject({ clientId: hubClientId('initech'), builtIn: true });
    for (const limit of [1, 2, 3, 5]) {
      const paged: string[] = [];
      for (let after: RequestOf<typeof adminListApps>['after']; ;) {
        const { items, next }: ReplyOf<typeof adminListApps> = await request(
          adminListApps,
          { limit, ...(after && { after }) },
          'gateway',
          as(ofInitech, 'initech'),
        );
        paged.push(...items.map(({ name }) => name));
        if (!next) break;
        after = next;
      }
      expect(paged).toEqual(expected);
    }
    const namesOf = async (query: object) => (await list(query)).map(({ name }) => name);
    expect(await namesOf({ namePrefix: 'aLp' })).toEqual(['ALP_x', 'Alphabet', 'alpha']);
    expect(await namesOf({ namePrefix: 'alp_' })).toEqual(['ALP_x']);
    expect(await namesOf({ namePrefix: 'beta%' })).toEqual(['beta%']);
    expect(await namesOf({ namePrefix: '%' })).toEqual([]);
    expect(await namesOf({ kind: 'spa' })).toEqual(['Zeta']);
    expect(await namesOf({ status: 'disabled' })).toEqual([]);
    expect(await namesOf({ audience: 'people' })).toEqual([hubClientId('initech')]);
  });

  test('reads a page of a large organization among others with indexes alone', async () => {
    await database.query(
      `WITH o AS (INSERT INTO directory.organization (short_id, name)
         SELECT 'plan-' || n, 'Plan' FROM generate_series(1, 20) n RETURNING short_id)
       INSERT INTO directory.app
         (client_id, org, name, kind, audience, redirect_uris, api_version, disabled, deleted_at)
       SELECT short_id || '-' || n, short_id, 'App ' || n, 'web', 'customers', '{}', '2026-11-01', n % 2 = 0,
         CASE WHEN n % 2 = 0 THEN now() END
       FROM o, generate_series(1, 2000) n`,
    );
    const values = ['plan-1', '9999-12-31T00:00:00.000Z', 'app_', false, 'web', 'customers', 51];
    // 51 of 1000 apps, and 1 of those: a scan of the table would read some hundred buffers.
    expect(await database.buffers(newest.text, values)).toBeLessThan(80);
    expect(await database.buffers(byName.text, [...values, 'aPP 1999'])).toBeLessThan(20);
  });
});
