import { describe, expect, test } from '@jest/globals';
import {
  changeRoles,
  createOrganization,
  deleteApp,
  disableApp,
  grantOperations,
  makerRights,
  setPersonActive,
  suspendOrganization,
  ungrantOperations,
  updateApp,
} from '@holdfast/contracts';
import { eventually, testContext } from '@holdfast/testing';
import { events, newApp, newPerson, operator, request, withDirectory } from '../directory.fixture.js';

withDirectory();

const scopes = ['issued:manage', 'offers:write'];
const rightsOf = async (type: 'app' | 'person', id: string, org = 'acme') =>
  (await request(makerRights, { org, maker: { type, id } }, 'issuance')).operations;
/** What the events about an app say that it may still do: only those by which it has lost rights. */
const lossesOf = async (id: string, count: number) =>
  eventually(() => {
    const found = events.filter(({ app, operations }) => app === id && operations);
    return found.length === count && found.map(({ operations }) => operations);
  });

describe('what an app may do', () => {
  test('is what it is granted, and nothing once it is disabled or deleted, or for another organization', async () => {
    const { app } = await newApp('web', scopes);
    const id = app.clientId;
    expect((await rightsOf('app', id)).sort()).toEqual(scopes);
    expect(await rightsOf('app', id, 'globex')).toEqual([]);
    await request(updateApp, { clientId: id, displayName: 'Shop' });
    await request(ungrantOperations, { clientId: id, operations: ['issued:manage'] });
    expect(await rightsOf('app', id)).toEqual(['offers:write']);
    await request(disableApp, { clientId: id, disabled: true });
    expect(await rightsOf('app', id)).toEqual([]);
    await request(disableApp, { clientId: id, disabled: false });
    await request(grantOperations, { clientId: id, operations: ['issued:manage'] });
    expect((await rightsOf('app', id)).sort()).toEqual(scopes);
    await request(deleteApp, { clientId: id });
    expect([await rightsOf('app', id), await rightsOf('app', 'app_unknown')]).toEqual([[], []]);
    expect(await lossesOf(id, 3)).toEqual([['offers:write'], [], []]);
  });

  test('is nothing while its organization is suspended', async () => {
    await request(createOrganization, { shortId: 'initech', name: 'Initech' });
    const { app } = await newApp('web', scopes, 'initech');
    await request(suspendOrganization, { shortId: 'initech', suspended: true });
    expect(await rightsOf('app', app.clientId, 'initech')).toEqual([]);
    await request(suspendOrganization, { shortId: 'initech', suspended: false });
    expect((await rightsOf('app', app.clientId, 'initech')).sort()).toEqual(scopes);
  });
});

test('what a person may do is what their roles allow, and nothing once they are deactivated', async () => {
  const { id } = await newPerson({ roles: ['auditor'] });
  const context = testContext({ actor: operator });
  expect(await rightsOf('person', id)).toContain('audit:export');
  await request(changeRoles, { person: id, roles: ['approver'] }, 'operator', context);
  expect(await rightsOf('person', id)).not.toContain('audit:export');
  await request(changeRoles, { person: id, roles: ['auditor'] }, 'operator', context);
  await request(setPersonActive, { person: id, active: false }, 'operator', context);
  expect(await rightsOf('person', id)).toEqual([]);
});
