// People at the hub of their organization (product §6): sign-in, session, the Admin API with it, sign-out.
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { newClients, stack } from '../clients/under-test.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import { newPerson, signInToHub, type Person } from './person.fixture.ts';

let org: string;
let owner: Person;

beforeAll(async () => {
  ({
    shop: {
      app: { org },
    },
  } = await newClients({ shop: {} }));
  owner = await newPerson(org, ['owner']);
});

const me = (agent: UserAgent) => agent.go(`/o/${org}/api/admin/users/me`, { headers: { accept: 'application/json' } });
const sessionOf = (agent: UserAgent) => agent.cookies.find(({ name }) => name.endsWith(`${org}-hub`))?.value;

describe('a person', () => {
  it('signs in to the hub with their passkey, and is shown as themselves, without a token in the browser', async () => {
    const { agent, response } = await signInToHub(owner);
    expect([response.status, response.location]).toEqual([303, `/hub/${org}`]);
    const shown = await me(agent);
    expect([shown.status, shown.json]).toMatchObject([200, { id: owner.id, email: owner.email, roles: ['owner'] }]);
    expect(JSON.stringify([agent.cookies, response.text])).not.toContain('eyJ');
    expect((await agent.go(`/hub/${org}`)).text).toContain('/pages/hub-');
  });

  it('changes things by the Admin API, as themselves, from our own pages only', async () => {
    const { agent } = await signInToHub(owner);
    const path = `/o/${org}/api/admin/apps`;
    const created = await agent.post(path, { name: 'robot', kind: 'service' });
    expect(created.status).toBe(201);
    const clientId = created.json.clientId as string;
    const granted = await agent.post(`${path}/${clientId}/grants`, { operations: ['users:read'] });
    expect([granted.status, granted.json.scopes]).toEqual([200, ['users:read']]);
    const refused = await agent.post(`${path}/${clientId}/grants`, { operations: ['roles:manage'] });
    expect([refused.status, refused.json.code]).toEqual([422, 'not_grantable']);
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'same-site' }] as Record<
      string,
      string
    >[])
      expect((await agent.post(path, { name: 'x', kind: 'web' }, headers)).json.code).toBe('cross_site_request');
    const audit = await agent.go(`/o/${org}/api/admin/audit/events?action=app.grant`);
    expect((audit.json.items as { actor: object }[])[0]).toMatchObject({ actor: { type: 'person' } });
  });

  it('who loses a role, or is deactivated, loses it everywhere', async () => {
    const admin = await newPerson(org, ['admin']);
    const { agent } = await signInToHub(admin);
    const list = () => agent.go(`/o/${org}/api/admin/groups`);
    expect((await list()).status).toBe(200);
    await stack.operator('person', 'roles', org, admin.id, '--role', 'support');
    await eventually(async () => (await list()).json.code === 'insufficient_scope');
    expect((await me(agent)).status).toBe(200);
    await stack.operator('person', 'deactivate', org, admin.id);
    await eventually(async () => (await me(agent)).status === 401);
    expect((await agent.go(`/hub/${org}/sign-in`)).status).toBe(303);
  });

  it('has no session with another organization, nor with a cookie that was carried there', async () => {
    const { agent } = await signInToHub(owner);
    const other = (await newClients({ shop: {} })).shop.app.org;
    const stolen = new UserAgent(stack.baseUrl);
    stolen.cookies = agent.cookies.map((cookie) => ({ ...cookie, name: cookie.name.replace(org, other) }));
    expect((await stolen.go(`/o/${other}/api/admin/users/me`)).status).toBe(401);
  });

  it('has a new session after each sign-in, and none after the sign-out, at the issuer neither', async () => {
    const { agent } = await signInToHub(owner);
    const first = new UserAgent(stack.baseUrl);
    first.cookies = [...agent.cookies];
    await signInToHub(owner, agent, '?max_age=0');
    expect(sessionOf(agent)).not.toBe(sessionOf(first));
    await eventually(async () => (await me(first)).status === 401);
    expect((await me(agent)).status).toBe(200);
    const before = new UserAgent(stack.baseUrl);
    before.cookies = [...agent.cookies];
    expect((await agent.post(`/hub/${org}/sign-out`)).status).toBe(204);
    await eventually(async () => (await me(before)).status === 401);
    const { location } = await agent.go(`/hub/${org}/sign-in`);
    expect((await agent.go(location)).location).toContain('/sign-in/');
  });
});
