import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  adminCreateApp,
  adminCreateSecret,
  adminDisableApp,
  adminGetApp,
  adminListSecrets,
  adminUpdateApp,
  createApp,
  createOrganization,
  deleteApp,
  disableApp,
  grantOperations,
  removePerson,
  ungrantOperations,
  updateApp,
  type AppPatch,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { randomSequence, testContext } from '@holdfast/testing';
import {
  entryOf,
  eventOf,
  events,
  newName,
  newPerson,
  operator,
  request,
  withDirectory,
} from '../../directory.fixture.js';

withDirectory();

const gateway = 'gateway';
let org = '';
let organizations = 0;
let program: string;
let as: RequestContext;

const ofOperator = () => testContext({ org, actor: operator });
const asProgram = (id = program) => testContext({ org, actor: { type: 'app', id } });
async function newProgram(): Promise<string> {
  const given = { org, name: newName('robot'), kind: 'service' as const, scopes: ['apps:manage'] };
  return (await request(createApp, given, 'operator', ofOperator())).app.clientId;
}
type Given = Partial<RequestOf<typeof adminCreateApp>['app']>;
const create = async (given: Given = {}, context = as) =>
  (await request(adminCreateApp, { app: { name: newName('app'), kind: 'web', ...given } }, gateway, context)).app;
const update = (clientId: string, changes: AppPatch, context = as) =>
  request(adminUpdateApp, { clientId, changes }, gateway, context);
const get = (clientId: string) => request(adminGetApp, { clientId }, gateway, ofOperator());

beforeEach(async () => {
  org = `names-${(organizations += 1)}`;
  await request(createOrganization, { shortId: org, name: 'Globex' });
  program = await newProgram();
  as = asProgram();
});

describe('a program that loses the right to manage apps', () => {
  const losses: Record<string, (context: RequestContext) => Promise<unknown>> = {
    'its grant': (context) =>
      request(ungrantOperations, { clientId: program, operations: ['apps:manage'] }, 'operator', context),
    'its access, since it is disabled': (context) =>
      request(disableApp, { clientId: program, disabled: true }, 'operator', context),
    'all of it, since it is deleted': (context) => request(deleteApp, { clientId: program }, 'operator', context),
  };

  test.each(Object.keys(losses))('by %s: its apps are disabled and the secrets that it knows revoked', async (loss) => {
    const [web, spa, taken] = [await create(), await create({ kind: 'spa' }), await create()];
    const redirectUris = ['https://ours.example/in'];
    await request(updateApp, { clientId: taken.clientId, redirectUris }, 'operator', ofOperator());
    const other = asProgram(await newProgram());
    const foreign = await create({ kind: 'spa' }, other);
    const context = ofOperator();
    await losses[loss]!(context);
    const { audit } = await eventOf(context.auditId);
    expect(audit!.changes).toMatchObject({ appsDisabled: { to: 2 }, secretsRevoked: { to: 2 } });
    for (const { clientId } of [web, spa]) {
      expect(await get(clientId)).toMatchObject({ status: 'disabled', version: 2 });
      expect(await entryOf(clientId, org)).toMatchObject({ disabled: true, minVersion: 2 });
      expect(events.filter(({ app }) => app === clientId).map(({ type }) => type)).toEqual([
        'app.created',
        'app.updated',
      ]);
    }
    expect(await get(taken.clientId)).toMatchObject({ status: 'enabled', redirectUris });
    expect((await get(foreign.clientId)).status).toBe('enabled');
    for (const { clientId } of [web, taken]) {
      const { items } = await request(adminListSecrets, { clientId }, gateway, ofOperator());
      expect(items).toEqual([]);
    }
    await expect(create()).rejects.toMatchObject({ code: 'app_protected' });
    await expect(update(web.clientId, { helpUri: null })).rejects.toMatchObject({ code: 'app_protected' });
  });

  test('gets nothing back with the right: people enable the app, and take it over by that', async () => {
    const { clientId } = await create({ kind: 'spa' });
    await losses['its grant']!(ofOperator());
    await request(grantOperations, { clientId: program, operations: ['apps:manage'] }, 'operator', ofOperator());
    expect((await get(clientId)).status).toBe('disabled');
    const { id } = await newPerson({ org, roles: ['owner'] });
    const person = testContext({ org, actor: { type: 'person', id } });
    await request(adminDisableApp, { clientId, disabled: false, mayManageGrants: true }, gateway, person);
    expect((await get(clientId)).status).toBe('enabled');
    await expect(update(clientId, { redirectUris: ['https://evil.example/'] })).rejects.toMatchObject({
      code: 'app_protected',
      detail: 'People have taken the app over from the program that made it.',
    });
  });

  test('by another change than of that right ends nothing', async () => {
    const { clientId } = await create({ kind: 'spa' });
    await request(grantOperations, { clientId: program, operations: ['users:read'] }, 'operator', ofOperator());
    await request(ungrantOperations, { clientId: program, operations: ['users:read'] }, 'operator', ofOperator());
    expect((await get(clientId)).status).toBe('enabled');
  });

  test('leaves no app enabled and no secret valid that it made at the same time', async () => {
    const seed = Number(process.env.RACE_SEED ?? Date.now() % 1_000_000);
    process.stdout.write(`Repeat it with RACE_SEED=${seed}\n`);
    const random = randomSequence(seed);
    const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    let made = 0;
    for (let round = 0; round < 8; round += 1) {
      program = await newProgram();
      const maker = asProgram();
      const first = await create({}, maker);
      const requests = Array.from({ length: 4 }, () => random(20)).map((ms, i) =>
        later(ms).then((): Promise<object> =>
          i % 2 === 0
            ? create({ kind: 'spa' }, { ...maker, auditId: testContext().auditId })
            : request(adminCreateSecret, { clientId: first.clientId }, gateway, asProgram()),
        ),
      );
      const loss = Object.values(losses)[random(3)]!;
      const delay = random(30);
      const results = await Promise.allSettled([later(delay).then(() => loss(ofOperator())), ...requests]);
      expect(results[0]).toMatchObject({ status: 'fulfilled' });
      for (const result of results.slice(1)) {
        if (result.status === 'rejected')
          expect(['app_protected', 'invalid_state']).toContain((result.reason as { code: string }).code);
        else if ('clientId' in (result.value as object)) {
          made += 1;
          expect((await get((result.value as { clientId: string }).clientId)).status).toBe('disabled');
        }
      }
      const { items } = await request(adminListSecrets, { clientId: first.clientId }, gateway, ofOperator());
      expect(items).toEqual([]);
    }
    process.stdout.write(`${made} apps were made before the right ended\n`);
  });
});

describe('the name that a program gives its app', () => {
  const refused = async (given: Given, code = 'conflict') =>
    expect(create({ kind: 'spa', ...given })).rejects.toMatchObject({ code });

  test('is none that people take for another name or display name, of an app or of the organization', async () => {
    const settings = { name: 'Acme Shop', displayName: 'Bill Pay', kind: 'web' } as const;
    await request(createApp, { org, ...settings }, 'operator', ofOperator());
    for (const name of ['acme  SHOP', 'Acme-Shop', 'Acme Shop\u00AD', 'Acrne Shop', 'BiII Pay', 'globex', 'Glóbex'])
      await refused({ name });
    for (const displayName of ['Acme Shop', 'Bill Pay', 'GLOBEX', 'ACME SHOP']) await refused({ displayName });
    const hub = await create({ name: 'Something else', kind: 'spa' });
    for (const changes of [{ name: 'Acme Sh0p' }, { displayName: 'Bill  Pay' }])
      await expect(update(hub.clientId, changes)).rejects.toMatchObject({ code: 'conflict' });
    expect(await get(hub.clientId)).toMatchObject({ name: 'Something else', version: 1 });
  });

  test('is of one script, and not that of Holdfast', async () => {
    await request(createApp, { org, name: 'Acme', kind: 'web' }, 'operator', ofOperator());
    for (const name of ['Acmе', 'Holdfast', 'HOLD FAST sign-in', 'Нoldfast', 'H0ldfast', '· –'])
      await refused({ name }, 'invalid_request');
    await refused({ name: 'Асме' });
    await create({ name: 'Склад', kind: 'spa', displayName: 'Наш склад' });
  });

  test('may be like that of its own other apps, and people name theirs as they like', async () => {
    await create({ name: 'Shop', displayName: 'The Shop', kind: 'spa' });
    await create({ name: 'Shop for phones', displayName: 'The Shop', kind: 'native' });
    await request(createApp, { org, name: 'SHOP', kind: 'web', displayName: 'The Shop' }, 'operator', ofOperator());
    const { id } = await newPerson({ org, roles: ['owner'] });
    const person = testContext({ org, actor: { type: 'person', id } });
    await expect(create({ name: 'Shоp', kind: 'spa' }, person)).resolves.toMatchObject({ name: 'Shоp' });
  });

  test('is free for one of two programs that choose it at once', async () => {
    const others = await Promise.all(Array.from({ length: 4 }, () => newProgram()));
    const names = ['Billing', 'BILLING', 'Bi11ing', 'Billing!'];
    const results = await Promise.allSettled(
      others.map((id, i) => create({ name: names[i]!, kind: 'spa' }, asProgram(id))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

test('a client secret is shown with its maker, and without an id when that person was removed', async () => {
  expect((await create()).secret).toMatchObject({ createdBy: program, madeBy: { type: 'app', id: program } });
  await newPerson({ org, roles: ['owner'] });
  const { id } = await newPerson({ org, roles: ['admin'] });
  const { clientId, secret } = await create({}, testContext({ org, actor: { type: 'person', id } }));
  expect(secret).toMatchObject({ madeBy: { type: 'person', id } });
  await request(removePerson, { person: id }, 'operator', ofOperator());
  const { items } = await request(adminListSecrets, { clientId }, gateway, ofOperator());
  expect(items.map(({ madeBy }) => madeBy)).toEqual([{ type: 'person' }]);
});
