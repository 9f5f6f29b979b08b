// What people do with their own account at the hub: read it, and add, rename and remove passkeys, never the last one.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { User, UserPasskey } from '@holdfast/contracts';
import { eventually, SoftwareAuthenticator } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { beginSignIn, completeSignIn, origin } from '../sign-in/customer.fixture.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import { HubUser } from './person.fixture.ts';

const passkeys = '/users/me/passkeys';

let org: string;
let auditor: Client;
let ann: HubUser;
let bo: HubUser;

beforeAll(async () => {
  org = await stack.newOrganization();
  [ann, bo] = await Promise.all([HubUser.make(org), HubUser.make(org)]);
  auditor = new Client(stack, await stack.newApp(org, 'auditor', ['audit:read'], 'service'));
});
afterAll(closeConnections);

const list = async (by: HubUser) => (await by.call<{ items: UserPasskey[] }>('GET', passkeys)).body.items;
/** The response of an authenticator to new options. */
async function register(by: HubUser, authenticator: SoftwareAuthenticator) {
  const { body } = await by.call<{ options: { excludeCredentials: object[] } }>('POST', `${passkeys}/options`);
  return { options: body.options, response: authenticator.register(body.options, { origin }) };
}
const add = (by: HubUser, response: object, name?: string) =>
  by.call<UserPasskey & Problem>('POST', passkeys, { response, ...(name !== undefined && { name }) });

it('is read by the person, who needs no role for it', async () => {
  const { status, body } = await ann.call<User>('GET', '/users/me');
  expect([status, body]).toMatchObject([
    200,
    { id: ann.id, email: ann.person.email, status: 'active', roles: [], lastSignInAt: expect.any(String) },
  ]);
  expect((await ann.call('GET', `/users/${ann.id}`)).body.code).toBe('insufficient_scope');
});

it('has passkeys that the person adds, names and removes, but never the last one', async () => {
  const [first] = (await list(ann)) as [UserPasskey];
  const only = await ann.call('DELETE', `${passkeys}/${first.id}`);
  expect([only.status, only.body.code]).toEqual([409, 'invalid_state']);

  const phone = new SoftwareAuthenticator({ synced: true });
  const { options, response } = await register(ann, phone);
  expect(options.excludeCredentials).toHaveLength(1);
  const added = await add(ann, response, 'Phone');
  expect([added.status, added.body]).toMatchObject([201, { name: 'Phone', synced: true }]);
  expect((await add(ann, response)).body.code).toBe('ceremony_expired');
  const renamed = await ann.call<UserPasskey>('PATCH', `${passkeys}/${first.id}`, { name: 'Laptop' });
  expect([renamed.status, renamed.body.name]).toEqual([200, 'Laptop']);
  expect((await list(ann)).map(({ name }) => name)).toEqual(['Laptop', 'Phone']);

  const both = await HubUser.signIn({ ...ann.person, authenticator: phone });
  expect((await both.call('DELETE', `${passkeys}/${first.id}`)).status).toBe(204);
  // Sessions do not know with which passkey they began, so that all of them end: each gateway asks once a second.
  for (const session of [ann, both])
    await eventually(async () => expect((await session.call('GET', '/users/me')).status).toBe(401));
  const agent = new UserAgent(stack.baseUrl);
  const page = await beginSignIn(agent, (await agent.go(`/hub/${org}/sign-in`)).location);
  expect((await completeSignIn(agent, page, ann.person.authenticator)).json).toEqual({
    refused: 'unknown_passkey',
    removed: true,
  });

  const left = await HubUser.signIn({ ...ann.person, authenticator: phone });
  const [last] = (await list(left)) as [UserPasskey];
  expect(last.name).toBe('Phone');
  expect((await left.call('DELETE', `${passkeys}/${last.id}`)).body.code).toBe('invalid_state');

  const log = (await auditor.wholeLog({ target: ann.id })).reverse();
  expect(
    log
      .filter(({ action }) => /^passkey\.(add|rename|remove)$/.test(action))
      .map(({ action, actor, outcome }) => `${action} ${actor.type} ${outcome.code ?? outcome.result}`),
  ).toEqual([
    'passkey.remove person invalid_state',
    'passkey.add person success',
    'passkey.rename person success',
    'passkey.remove person success',
    'passkey.remove person invalid_state',
  ]);
});

it('of somebody else is out of reach, and so is what they have begun', async () => {
  const [foreign] = (await list(bo)) as [UserPasskey];
  const stranger = await HubUser.make(org, ['auditor']);
  const { response } = await register(bo, new SoftwareAuthenticator());
  expect((await add(stranger, response)).body.code).toBe('ceremony_expired');
  for (const [method, json] of [
    ['PATCH', { name: 'Mine' }],
    ['DELETE', undefined],
  ] as const) {
    const own = await stranger.call(method, `${passkeys}/${foreign.id}`, json);
    expect([own.status, own.body.code]).toEqual([404, 'unknown_passkey']);
    const managed = await stranger.call(method, `/users/${bo.id}/passkeys/${foreign.id}`, json);
    expect([managed.status, managed.body.code]).toEqual([403, 'insufficient_scope']);
  }
  for (const json of [{}, { response: {} }, { response: 'x' }, { response: {}, name: 'a\u0000b' }])
    expect((await bo.call('POST', passkeys, json)).status).toBe(422);
  for (const json of [{}, { name: '' }, { name: 'x'.repeat(200) }, { name: 'a\u202eb' }])
    expect((await bo.call('PATCH', `${passkeys}/${foreign.id}`, json)).status).toBe(422);
  expect((await bo.call('DELETE', `${passkeys}/${randomUUID()}`)).body.code).toBe('unknown_passkey');
  expect(await list(bo)).toEqual([foreign]);
});
