// Receivers of Shared Signals: apps that callers with ssf:manage make, and nobody else who manages apps.
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  adminCreateApp,
  adminCreateSecret,
  adminDeleteApp,
  adminGetApp,
  adminListSecrets,
  adminUpdateApp,
  createApp,
  createOrganization,
  disableApp,
  getClient,
  makerRights,
  ungrantOperations,
  type AppRight,
  type Operation,
  type RequestContext,
} from '@holdfast/contracts';
import { testContext } from '@holdfast/testing';
import { newName, newPerson, operator, personContext, request, withDirectory } from '../../directory.fixture.js';

withDirectory();

let org = '';
let organizations = 0;
beforeEach(async () => {
  org = `receivers-${(organizations += 1)}`;
  await request(createOrganization, { shortId: org, name: 'Initech' });
});

const asOperator = () => ['operator', testContext({ org, actor: operator })] as const;
const newProgram = async (...scopes: Operation[]) => {
  const given = { org, name: newName('program'), kind: 'service' as const, scopes };
  const { app } = await request(createApp, given, ...asOperator());
  return { id: app.clientId, context: testContext({ org, actor: { type: 'app', id: app.clientId } }) };
};
const create = async (context: RequestContext, right: AppRight = 'ssf:manage', kind: 'receiver' | 'web' = 'receiver') =>
  (await request(adminCreateApp, { app: { name: newName('siem'), kind }, right }, 'gateway', context)).app;
const client = (clientId: string) => request(getClient, { clientId }, 'auth', testContext({ org, actor: operator }));

describe('a program with ssf:manage', () => {
  test('makes a receiver with a client secret, which has the scopes of its kind and no others', async () => {
    const { context } = await newProgram('ssf:manage');
    const app = await create(context);
    expect(app).toMatchObject({ kind: 'receiver', audience: 'customers', scopes: [], status: 'enabled' });
    expect(app.secret?.clientSecret).toEqual(expect.any(String));
    const maker = { type: 'app' as const, id: app.clientId };
    const { operations } = await request(makerRights, { org, maker }, 'issuance');
    expect(operations.sort()).toEqual(['ssf.manage', 'ssf.read']);
    await request(disableApp, { clientId: app.clientId, disabled: true }, ...asOperator());
    expect((await request(makerRights, { org, maker }, 'issuance')).operations).toEqual([]);
  });

  test('reaches no other app, as if there were none', async () => {
    const { id, context } = await newProgram('ssf:manage', 'apps:manage');
    const web = await create(context, 'apps:manage', 'web');
    const right = 'ssf:manage';
    for (const clientId of [web.clientId, id])
      for (const attempt of [
        request(adminGetApp, { clientId, right }, 'gateway', context),
        request(adminListSecrets, { clientId, right }, 'gateway', context),
        request(adminUpdateApp, { clientId, changes: { name: 'X' }, right }, 'gateway', context),
        request(adminCreateSecret, { clientId, right }, 'gateway', context),
        request(adminDeleteApp, { clientId, right }, 'gateway', context),
      ])
        await expect(attempt).rejects.toMatchObject({ code: 'unknown_app' });
    await expect(create(context, right, 'web')).rejects.toMatchObject({ code: 'app_protected' });
  });

  test('leaves nothing behind that it has made when it loses the right', async () => {
    const { id, context } = await newProgram('ssf:manage', 'apps:manage');
    const { clientId } = await create(context);
    const web = await create(context, 'apps:manage', 'web');
    await request(ungrantOperations, { clientId: id, operations: ['ssf:manage'] }, ...asOperator());
    expect(await client(clientId)).toMatchObject({ app: { disabled: true }, secrets: [] });
    expect((await client(web.clientId)).app.disabled).toBe(false);
    await expect(create(context)).rejects.toMatchObject({ code: 'app_protected' });
    await request(ungrantOperations, { clientId: id, operations: ['apps:manage'] }, ...asOperator());
    expect((await client(web.clientId)).app.disabled).toBe(true);
  });
});

test('a caller with apps:manage alone makes and changes no receiver', async () => {
  const { context } = await newProgram('apps:manage');
  await expect(create(context, 'apps:manage')).rejects.toMatchObject({ code: 'app_protected' });
  const { clientId } = await create((await newProgram('ssf:manage')).context);
  const rename = request(adminUpdateApp, { clientId, changes: { name: 'X' } }, 'gateway', context);
  await expect(rename).rejects.toMatchObject({ code: 'app_protected' });
});

test('a person with ssf:manage makes receivers and their secrets', async () => {
  const { id } = await newPerson({ org, roles: ['admin'] });
  const context = personContext(id, org);
  const { clientId } = await create(context);
  const right = 'ssf:manage';
  const { secret } = await request(adminCreateSecret, { clientId, right }, 'gateway', context);
  expect(secret.clientSecret).toEqual(expect.any(String));
});

test('a receiver has no settings of sign-ins', async () => {
  const given = { org, name: newName('siem'), kind: 'receiver' as const, redirectUris: ['https://siem.example/'] };
  await expect(request(createApp, given, ...asOperator())).rejects.toMatchObject({
    code: 'invalid_request',
    errors: [{ pointer: '#/redirectUris' }],
  });
});
