// Groups and their members by a service app that holds exactly `groups:manage`.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Group, GroupMember } from '@holdfast/contracts';
import { Client, type Page } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { insertPeople } from './people.fixture.ts';

let org: string;
let program: Client;
let other: Client;
beforeAll(async () => {
  org = await stack.newOrganization();
  program = new Client(stack, await stack.newApp(org, 'groups', ['groups:manage', 'audit:read'], 'service'), [
    'groups:manage',
  ]);
  other = new Client(stack, await stack.newApp(org, 'reader', ['entitlements:view'], 'service'));
});
afterAll(closeConnections);

const path = () => `${program.api}/admin/groups`;
const create = async (name: string) => (await program.call<Group>('POST', path(), { json: { name } })).body;
const add = <Body = { changed: number }>(group: string, users: unknown) =>
  program.call<Body>('POST', `${path()}/${group}/members`, { json: { users } });

describe('groups', () => {
  it('are created once for a key, read, renamed, listed and deleted, and all of it is in the log', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const created = await program.call<Group>('POST', path(), { json: { name: 'Support' }, headers });
    expect(created.status).toBe(201);
    const again = await program.call<Group>('POST', path(), { json: { name: 'Support' }, headers });
    expect([again.status, again.body]).toEqual([201, created.body]);
    const { id } = created.body;
    expect(created.headers.location).toBe(`${path()}/${id}`);
    const renamed = await program.call<Group>('PATCH', `${path()}/${id}`, {
      json: { name: 'Helpers', description: 'Help' },
    });
    expect(renamed.body).toEqual({ ...created.body, name: 'Helpers', description: 'Help' });
    expect((await program.call('GET', `${path()}/${id}`)).body).toEqual(renamed.body);
    expect((await program.call<Page<Group>>('GET', `${path()}?q=hElP`)).body.items).toEqual([renamed.body]);
    const taken = await program.call('POST', path(), { json: { name: 'HELPERS' } });
    expect([taken.status, taken.body.code]).toEqual([409, 'conflict']);
    expect((await program.call('DELETE', `${path()}/${id}`)).status).toBe(204);
    expect((await program.call('GET', `${path()}/${id}`)).body.code).toBe('unknown_group');
    const log = await program.with('audit:read').wholeLog({ target: id });
    expect(log.map(({ action, outcome }) => `${action} ${outcome.result}`)).toEqual([
      'group.read failure',
      'group.delete success',
      'group.read success',
      'group.update success',
      'group.create success',
      'group.create success',
    ]);
  });

  it('have members who are added and removed in one call, all or none', async () => {
    const { id } = await create('Members');
    const people = await insertPeople(stack, org, 500);
    expect((await add(id, people)).body).toEqual({ changed: 500 });
    expect((await add(id, people)).body).toEqual({ changed: 0 });
    const [first, second] = people as [string, string];
    const unknown = await add<Problem>(id, [first, randomUUID()]);
    expect([unknown.status, unknown.body.errors?.map(({ pointer }) => pointer)]).toEqual([422, ['#/users/1']]);
    const removed = await program.call('POST', `${path()}/${id}/members/remove`, { json: { users: [first, second] } });
    expect(removed.body).toEqual({ changed: 2 });
    const seen: string[] = [];
    let token = '';
    for (;;) {
      const { body } = await program.call<Page<GroupMember>>('GET', `${path()}/${id}/members?limit=200${token}`);
      seen.push(...body.items.map(({ user }) => user));
      if (!body.hasMore) break;
      token = `&next_page_token=${body.nextPageToken}`;
    }
    expect(seen.sort()).toEqual(people.slice(2).sort());
    const groups = await program.call<Page<{ name: string }>>('GET', `${program.api}/admin/users/${people[2]}/groups`);
    expect(groups.body.items).toMatchObject([{ group: id, name: 'Members' }]);
    const log = await program.with('audit:read').wholeLog({ action: 'group.member.add', target: id });
    expect(log.map(({ targets, changes }) => [targets.length, changes])).toEqual([
      [1, undefined],
      [1, undefined],
      [501, { added: { to: 500 } }],
    ]);
  });

  it('take no garbage: clear 4xx, and nothing is stored', async () => {
    const { id } = await create('Garbage');
    const before = (await program.call<Page<Group>>('GET', path())).body.items.length;
    const [person] = await insertPeople(stack, org);
    const names = [
      '',
      ' ',
      'x'.repeat(101),
      'a\u0000b',
      'a\u202eb',
      'a\nb',
      '\ud800',
      '=1+1',
      '@SUM(A1)',
      5,
      null,
      ['a'],
      { a: 1 },
    ];
    for (const name of names) {
      const { status, body } = await program.call('POST', path(), { json: { name } });
      expect([name, [400, 422].includes(status), body.code]).toEqual([name, true, 'invalid_request']);
    }
    for (const json of [{}, { name: 'x', roles: ['owner'] }, { name: 'x', scopes: ['apps:manage'] }, []])
      expect((await program.call('POST', path(), { json })).status).toBe(422);
    for (const users of [[], 'all', [person, 'nope'], Array.from({ length: 501 }, () => person), { user: person }])
      expect((await add(id, users)).status).toBe(422);
    const tenThousand = await add(
      id,
      Array.from({ length: 10_000 }, () => randomUUID()),
    );
    expect(tenThousand.status).toBe(413);
    for (const query of ['?q=', '?q=%00', '?limit=0', '?next_page_token=x', '?name=x'])
      expect((await program.call('GET', `${path()}${query}`)).status).toBe(400);
    expect((await program.call<Page<Group>>('GET', path())).body.items.length).toBe(before);
    expect((await program.call<Page<GroupMember>>('GET', `${path()}/${id}/members`)).body.items).toEqual([]);
  });

  it('are managed with this operation only, and in the own organization only', async () => {
    const { id } = await create('Guarded');
    for (const [method, at, json] of [
      ['GET', '', undefined],
      ['POST', '', { name: 'x' }],
      ['PATCH', `/${id}`, { name: 'x' }],
      ['DELETE', `/${id}`, undefined],
      ['GET', `/${id}/members`, undefined],
      ['POST', `/${id}/members`, { users: [randomUUID()] }],
      ['POST', `/${id}/members/remove`, { users: [randomUUID()] }],
    ] as const) {
      const options = json === undefined ? {} : { json };
      const denied = await other.call(method, `${path()}${at}`, options);
      expect([method, at, denied.body.code]).toEqual([method, at, 'insufficient_scope']);
      const foreign = await program.call(method, `/o/acme/api/admin/groups${at}`, options);
      expect([method, at, foreign.body.code]).toEqual([method, at, 'wrong_organization']);
    }
    for (const [method, elsewhere] of [
      ['GET', '/admin/entitlements'],
      ['GET', '/admin/apps'],
      ['GET', '/admin/audit/events'],
    ] as const)
      expect((await program.call(method, `${program.api}${elsewhere}`)).body.code).toBe('insufficient_scope');
  });
});
