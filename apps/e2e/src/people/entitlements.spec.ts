// Assignments and entitlements by service apps that hold exactly one operation each.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Assignment, Entitlement } from '@holdfast/contracts';
import { Client, type Page } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { query } from '../stack/database.ts';
import type { App } from '../stack/stack.ts';
import { insertPeople, newPeopleApp } from './people.fixture.ts';

let org: string;
let manager: Client;
let viewer: Client;
let grouper: Client;
let desk: App;
beforeAll(async () => {
  org = await stack.newOrganization();
  const service = async (name: string, operation: string) =>
    new Client(stack, await stack.newApp(org, name, [operation], 'service'));
  manager = await service('apps', 'apps:manage');
  viewer = await service('viewer', 'entitlements:view');
  grouper = await service('groups', 'groups:manage');
  desk = await newPeopleApp(stack, org, 'desk');
});
afterAll(closeConnections);

const assignments = (clientId = desk.clientId) => `${manager.api}/admin/apps/${clientId}/assignments`;
const assign = (json: unknown, clientId?: string) =>
  manager.call<Assignment & { code?: string }>('POST', assignments(clientId), { json });
const entitlements = async (filter: Record<string, string> = {}) => {
  const path = `${viewer.api}/admin/entitlements?${new URLSearchParams(filter).toString()}`;
  return (await viewer.call<Page<Entitlement>>('GET', path)).body.items;
};
const groupOf = async (users: string[]) => {
  const path = `${grouper.api}/admin/groups`;
  const { body } = await grouper.call<{ id: string }>('POST', path, { json: { name: randomUUID() } });
  await grouper.call('POST', `${path}/${body.id}/members`, { json: { users } });
  return body.id;
};

describe('assignments', () => {
  it('give a person, and the members of a group, access by their paths until they end', async () => {
    const [direct, member, both] = (await insertPeople(stack, org, 3)) as [string, string, string];
    const group = await groupOf([member, both]);
    const ofGroup = await assign({ group });
    expect(ofGroup.status).toBe(201);
    await assign({ user: direct });
    const ofBoth = await assign({ user: both });
    const paths = async () =>
      (await entitlements({ app: desk.clientId })).map(({ user, path, group: by }) => [user, path, by]).sort();
    expect(await paths()).toEqual(
      [
        [direct, 'direct', undefined],
        [member, 'group', group],
        [both, 'direct', undefined],
        [both, 'group', group],
      ].sort(),
    );
    expect((await entitlements({ group })).map(({ user }) => user).sort()).toEqual([member, both].sort());
    expect((await entitlements({ user: both, app: desk.clientId })).map(({ path }) => path)).toEqual([
      'direct',
      'group',
    ]);
    const listed = await manager.call<Page<Assignment>>('GET', `${assignments()}?group=${group}`);
    expect(listed.body.items).toEqual([ofGroup.body]);

    expect((await manager.call('DELETE', `${assignments()}/${ofBoth.body.id}`)).status).toBe(204);
    const repeated = await manager.call('DELETE', `${assignments()}/${ofBoth.body.id}`);
    expect([repeated.status, repeated.body.code]).toEqual([404, 'unknown_assignment']);
    await grouper.call('DELETE', `${grouper.api}/admin/groups/${group}`);
    expect(await paths()).toEqual([[direct, 'direct', undefined]]);
    await query(stack, `UPDATE directory.person SET status = 'deactivated' WHERE id = $1`, [direct]);
    expect(await paths()).toEqual([]);
  });

  it('are refused for an app without people, the hub, people of other organizations, and twice', async () => {
    const [person] = (await insertPeople(stack, org)) as [string];
    const shop = await stack.newApp(org, 'shop', []);
    const codeOf = async (json: unknown, clientId?: string) => {
      const { status, body } = await assign(json, clientId);
      return [status, body.code];
    };
    expect(await codeOf({ user: person }, shop.clientId)).toEqual([422, 'invalid_request']);
    expect(await codeOf({ user: randomUUID() })).toEqual([422, 'invalid_request']);
    expect(await codeOf({ group: randomUUID() })).toEqual([422, 'invalid_request']);
    expect(await codeOf({ user: person, group: randomUUID() })).toEqual([422, 'invalid_request']);
    expect(await codeOf({})).toEqual([422, 'invalid_request']);
    expect(await codeOf({ user: person }, 'app_Ab3dE6gH9jK2mN5pQ8sT1v')).toEqual([404, 'unknown_app']);
    const foreign = stack.app('acme', 'shop').clientId;
    expect(await codeOf({ user: person }, foreign)).toEqual([404, 'unknown_app']);
    expect((await codeOf({ user: person }))[0]).toBe(201);
    expect(await codeOf({ user: person })).toEqual([409, 'conflict']);
  });

  it('and entitlements are open to their own operation only, in the own organization only', async () => {
    const view = `${viewer.api}/admin/entitlements`;
    expect((await manager.call('GET', view)).body.code).toBe('insufficient_scope');
    expect((await viewer.call('GET', assignments())).body.code).toBe('insufficient_scope');
    expect((await viewer.call('POST', assignments(), { json: { user: randomUUID() } })).body.code).toBe(
      'insufficient_scope',
    );
    expect((await viewer.call('GET', '/o/acme/api/admin/entitlements')).body.code).toBe('wrong_organization');
    for (const bad of ['?user=x', '?app=x', '?group=', '?path=direct', '?limit=201', '?next_page_token=AAAA'])
      expect((await viewer.call('GET', `${view}${bad}`)).status).toBe(400);
  });
});
