// People sign in to apps of the audience `people` with a standard client, and lose what they had there at once when
// their access ends (product §6).
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addGroupMembers } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { beginSignIn, completeSignIn, newCustomer } from '../sign-in/customer.fixture.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import { newPerson, type Person } from './person.fixture.ts';

let org: string;
let staff: RelyingParty;
let shop: RelyingParty;
let group: string;

beforeAll(async () => {
  org = await stack.newOrganization();
  staff = await RelyingParty.make(org, 'staff-area', { audience: 'people' });
  shop = await RelyingParty.make(org, 'shop', { grants: customerScopes });
  group = (await stack.operator<{ id: string }>('group', 'create', org, 'Finance')).id;
  await stack.operator('assignment', 'add', org, staff.app.clientId, '--group', group);
});
afterAll(() => closeConnections());

async function hire({ member = true } = {}): Promise<Person> {
  const person = await newPerson(org);
  if (member) await stack.request(addGroupMembers, { group, users: [person.id] }, org);
  return person;
}

const scope = 'openid email profile groups';
const withScope = { more: { scope } };

describe('an employee of an assigned group', () => {
  it('signs in with a standard client, and is described by e-mail, name and groups', async () => {
    const { id, email, name, authenticator } = await hire();
    const { claims, accessToken, refreshToken, agent } = await staff.signIn(authenticator, withScope);
    expect(claims).toMatchObject({ sub: id, email, name, groups: ['Finance'] });
    expect(claims).not.toHaveProperty('credential');
    expect((await staff.userinfo(accessToken)).json).toMatchObject({ sub: id, email, groups: ['Finance'] });
    expect((await staff.refresh(refreshToken)).status).toBe(200);
    expect(await staff.silently(agent, { prompt: 'none' })).toHaveProperty('code');
    expect(await shop.silently(agent, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
  });

  it.each([
    ['is removed from the group', ({ id }: Person) => stack.operator('group', 'remove', org, group, id)],
    ['is deactivated', ({ id }: Person) => stack.operator('person', 'deactivate', org, id)],
    ['is removed', ({ id }: Person) => stack.operator('person', 'remove', org, id, '--yes')],
  ] as const)('who %s is refused at once, and has no session any more', async (_, end) => {
    const employee = await hire();
    const { accessToken, refreshToken, agent } = await staff.signIn(employee.authenticator, withScope);
    await end(employee);
    expect((await staff.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await staff.userinfo(accessToken)).status).toBe(401);
    expect(await staff.silently(agent, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
    await eventually(async () => {
      const { location } = await agent.go((await staff.begin()).url);
      return location.includes('/sign-in/');
    });
  });

  it('keeps a second path: only the end of the last one ends the session', async () => {
    const { id, authenticator } = await hire();
    await stack.operator('assignment', 'add', org, staff.app.clientId, '--user', id);
    const { refreshToken } = await staff.signIn(authenticator, withScope);
    await stack.operator('group', 'remove', org, group, id);
    const refreshed = await staff.refresh(refreshToken);
    expect([refreshed.status, (await staff.userinfo(refreshed.json.access_token!)).json.groups]).toEqual([200, []]);
  });
});

describe('the passkey', () => {
  it('of an employee who is not assigned is refused with the reason, and leaving is access_denied', async () => {
    const { authenticator } = await hire({ member: false });
    const agent = new UserAgent(stack.baseUrl);
    const page = await beginSignIn(agent, (await staff.begin()).url);
    expect((await agent.go(page)).json).toMatchObject({ audience: 'people' });
    expect((await completeSignIn(agent, page, authenticator)).json).toEqual({ refused: 'not_assigned' });
    const { json } = await agent.post(`${page}/cancel`);
    const { location } = await agent.go(json.redirectTo as string);
    expect(Object.fromEntries(new URL(location).searchParams)).toMatchObject({ error: 'access_denied' });
  });

  it('of a customer is unknown at an app of people, and that of an employee at an app of customers', async () => {
    const customer = await newCustomer(new Client(stack, shop.app));
    const employee = await hire();
    for (const [party, { authenticator }] of [
      [staff, customer],
      [shop, employee],
    ] as const) {
      const agent = new UserAgent(stack.baseUrl);
      const page = await beginSignIn(agent, (await party.begin()).url);
      expect((await completeSignIn(agent, page, authenticator)).json).toEqual({ refused: 'unknown_passkey' });
    }
    const both = await shop.signIn(customer.authenticator);
    await staff.signIn(employee.authenticator, { ...withScope, agent: both.agent });
    expect(await shop.silently(both.agent, { prompt: 'none' })).toHaveProperty('code');
    expect((await shop.refresh(both.refreshToken)).status).toBe(200);
  });
});
