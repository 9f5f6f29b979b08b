import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  addGroupMembers,
  createGroup,
  createOrganization,
  deleteGroup,
  getGroup,
  listGroupMembers,
  listGroups,
  listGroupsOfPerson,
  maxGroupsPerPerson,
  removeGroupMembers,
  updateGroup,
  type ReplyOf,
  type RequestContext,
} from '@holdfast/contracts';
import { eventually, randomSequence, testContext } from '@holdfast/testing';
import { database, events, newName, operator, request, withDirectory } from '../directory.fixture.js';
import { insertPerson } from '../entitlements/people.fixture.js';

withDirectory();

const create = async (name = newName('Group'), org = 'acme') =>
  (await request(createGroup, { group: { name } }, 'gateway', testContext({ org }))).group;
const context = (org = 'acme') => testContext({ org });
const change = (
  contract: typeof addGroupMembers | typeof removeGroupMembers,
  group: string,
  users: string[],
  as: RequestContext = context(),
) => request(contract, { group, users }, 'gateway', as);
const add = (group: string, users: string[], as?: RequestContext) => change(addGroupMembers, group, users, as);
const remove = (group: string, users: string[], as?: RequestContext) => change(removeGroupMembers, group, users, as);
const members = async (group: string) => {
  const { items } = await request(listGroupMembers, { group, limit: 200 }, 'gateway', context());
  return items.map(({ user }) => user).sort();
};
const eventsOf = (as: RequestContext, count: number) =>
  eventually(() => {
    const found = events.filter(({ requestId }) => requestId === as.request.id);
    return found.length >= count ? found : false;
  });
const versionOf = async (person: string) =>
  (await database.query<{ version: number }>('SELECT version FROM directory.person WHERE id = $1', [person]))[0]!
    .version;

describe('a group', () => {
  it('is created, renamed, described and deleted, each with one event and one record', async () => {
    const name = newName('Support');
    const [created, renamed, deleted] = [context(), context(), context()];
    const { group } = await request(createGroup, { group: { name, description: 'Helps' } }, 'gateway', created);
    expect(group).toEqual({ id: group.id, name, description: 'Helps', createdAt: expect.any(String) });
    const changes = { name: `${name}!`, description: null };
    await expect(request(updateGroup, { group: group.id, changes }, 'gateway', renamed)).resolves.toEqual({
      group: { id: group.id, name: `${name}!`, createdAt: group.createdAt },
      changed: true,
    });
    await request(deleteGroup, { group: group.id }, 'gateway', deleted);
    const found = [...(await eventsOf(created, 1)), ...(await eventsOf(renamed, 1)), ...(await eventsOf(deleted, 1))];
    expect(found.map(({ type, version, audit }) => [type, version, audit?.action])).toEqual([
      ['group.created', 1, 'group.create'],
      ['group.updated', 2, 'group.update'],
      ['group.deleted', 3, 'group.delete'],
    ]);
    expect(found[1]!.audit!.changes).toEqual({ name: { from: name, to: `${name}!` }, description: { from: 'Helps' } });
    await expect(request(getGroup, { group: group.id }, 'gateway', context())).rejects.toMatchObject({
      code: 'unknown_group',
    });
  });

  it('has a name that no other has, not even in other letters', async () => {
    const { id, name } = await create('Straße ﬁ Ωδός');
    for (const same of ['STRASSE fi ωδόσ', 'straße  fi ΩΔΌΣ', `strasse f\u200di ωδός`])
      await expect(create(same)).rejects.toMatchObject({ code: 'conflict', detail: expect.stringContaining(same) });
    const other = await create();
    const rename = (group: string, to: string) =>
      request(updateGroup, { group, changes: { name: to } }, 'gateway', context());
    await expect(rename(other.id, name)).rejects.toMatchObject({ code: 'conflict' });
    await expect(rename(id, name.toUpperCase())).resolves.toMatchObject({ changed: true });
    await expect(rename(id, name.toUpperCase())).resolves.toMatchObject({ changed: false });
  });

  it('is refused with 422 when its name is too long or deceives, and nothing is stored', async () => {
    // Rows of deleted groups go later.
    const count = () =>
      database.query('SELECT count(*)::int AS n FROM directory.person_group WHERE deleted_at IS NULL');
    const before = await count();
    for (const name of ['', '   ', 'x'.repeat(101), 'a\0b', 'a\u202Eb', 'a\nb', 'a\u2028b'])
      await expect(create(name)).rejects.toMatchObject({ code: 'invalid_request', status: 422 });
    expect(await count()).toEqual(before);
  });

  it('is unknown to another organization', async () => {
    await request(createOrganization, { shortId: 'other', name: 'Other' });
    const { id } = await create();
    const person = await insertPerson();
    const as = context('other');
    const unknown = { code: 'unknown_group' };
    await expect(request(getGroup, { group: id }, 'gateway', as)).rejects.toMatchObject(unknown);
    await expect(request(deleteGroup, { group: id }, 'gateway', as)).rejects.toMatchObject(unknown);
    await expect(add(id, [person], as)).rejects.toMatchObject(unknown);
    await expect(request(listGroupMembers, { group: id, limit: 1 }, 'gateway', as)).rejects.toMatchObject(unknown);
    const foreign = await create(undefined, 'other');
    await expect(add(foreign.id, [person], as)).rejects.toMatchObject({
      code: 'invalid_request',
      status: 422,
      errors: [{ pointer: '#/users/0' }],
    });
  });

  it('is listed newest first, or by the beginning of its name, in pages that repeat and drop nothing', async () => {
    await request(createOrganization, { shortId: 'pages', name: 'Pages' });
    const names = Array.from({ length: 25 }, (_, i) => `${i % 2 ? 'Team' : 'TEAM'} ${String(i).padStart(2, '0')}`);
    for (const name of [...names, 'Teal', 'Teams abroad']) await create(name, 'pages');
    const all = async (q?: string) => {
      const found: string[] = [];
      let after: ReplyOf<typeof listGroups>['next'];
      do {
        const page = { limit: 4, ...(q !== undefined && { q }), ...(after && { after }) };
        const { items, next }: ReplyOf<typeof listGroups> = await request(
          listGroups,
          page,
          'gateway',
          context('pages'),
        );
        found.push(...items.map(({ name }) => name));
        after = next;
      } while (after);
      return found;
    };
    expect(await all()).toEqual(['Teams abroad', 'Teal', ...names.toReversed()]);
    expect(await all('tEAm ')).toEqual([...names, 'Teams abroad']);
    expect(await all('team 1')).toEqual(names.slice(10, 20));
    expect(await all('none')).toEqual([]);
  });

  it('of a misspelt organization is refused to the operator', async () => {
    const as = testContext({ org: 'nowhere', actor: operator });
    await expect(request(createGroup, { group: { name: 'x' } }, 'operator', as)).rejects.toMatchObject({
      code: 'unknown_organization',
    });
    await expect(request(listGroups, { limit: 1 }, 'operator', as)).rejects.toMatchObject({
      code: 'unknown_organization',
    });
  });
});

describe('the members of a group', () => {
  it('are added in one call with one event each and one record that names all of them', async () => {
    const group = await create();
    const people = await Promise.all([insertPerson(), insertPerson('invited'), insertPerson('deactivated')]);
    const as = context();
    await expect(add(group.id, [...people, people[0]], as)).resolves.toEqual({ changed: 3 });
    const found = await eventsOf(as, 3);
    expect(found.map(({ type, user, version, data }) => [type, user, version, data]).sort()).toEqual(
      people.map((user) => ['group.member_added', user, 2, { user, group: group.id }]).sort(),
    );
    expect(found.flatMap(({ audit }) => audit ?? [])).toEqual([
      expect.objectContaining({ action: 'group.member.add', changes: { added: { to: 3 } } }),
    ]);
    const { targets } = found.find(({ audit }) => audit)!.audit!;
    expect(targets[0]).toEqual({ type: 'group', id: group.id });
    expect(
      targets
        .slice(1)
        .map(({ dataSubject }) => dataSubject)
        .sort(),
    ).toEqual([...people].sort());
    expect(await members(group.id)).toEqual([...people].sort());
    const { items } = await request(listGroupsOfPerson, { user: people[0], limit: 5 }, 'gateway', context());
    expect(items).toEqual([{ group: group.id, name: group.name, addedAt: expect.any(String) }]);
  });

  it('who are members already are no error and no event', async () => {
    const group = await create();
    const [first, second] = [await insertPerson(), await insertPerson()];
    await add(group.id, [first]);
    const as = context();
    await expect(add(group.id, [first, second], as)).resolves.toEqual({ changed: 1 });
    expect((await eventsOf(as, 1)).map(({ user }) => user)).toEqual([second]);
    await expect(add(group.id, [first, second])).resolves.toEqual({ changed: 0 });
    await expect(remove(group.id, [first])).resolves.toEqual({ changed: 1 });
    await expect(remove(group.id, [first])).resolves.toEqual({ changed: 0 });
    expect([await versionOf(first), await versionOf(second)]).toEqual([3, 2]);
  });

  it('are added all or not at all: the refusal names the places of people who do not exist', async () => {
    const group = await create();
    const person = await insertPerson();
    await expect(add(group.id, [person, randomUUID(), person, randomUUID()])).rejects.toMatchObject({
      code: 'invalid_request',
      status: 422,
      errors: [{ pointer: '#/users/1' }, { pointer: '#/users/3' }],
    });
    await expect(add(group.id, [])).rejects.toMatchObject({ status: 422 });
    await expect(
      add(
        group.id,
        Array.from({ length: 501 }, () => person),
      ),
    ).rejects.toMatchObject({ status: 422 });
    expect([await members(group.id), await versionOf(person)]).toEqual([[], 1]);
  });

  it('have no room for more groups than anybody may be in', async () => {
    const group = await create();
    const [full, other] = [await insertPerson(), await insertPerson()];
    await database.query(
      `WITH made AS (INSERT INTO directory.person_group (id, org, name, name_key)
         SELECT gen_random_uuid(), 'acme', 'full ' || i, 'full ' || i FROM generate_series(1, $2) i RETURNING id)
       INSERT INTO directory.group_member (org, group_id, person_id) SELECT 'acme', id, $1 FROM made`,
      [full, maxGroupsPerPerson],
    );
    await expect(add(group.id, [other, full])).rejects.toMatchObject({
      status: 422,
      errors: [{ pointer: '#/users/1', detail: expect.stringContaining(String(maxGroupsPerPerson)) }],
    });
    const { items } = await request(listGroupsOfPerson, { user: full, limit: 1 }, 'gateway', context());
    await expect(remove(items[0]!.group, [full])).resolves.toEqual({ changed: 1 });
    await expect(add(group.id, [other, full])).resolves.toEqual({ changed: 2 });
  });

  it('are those that the order of commits leaves, when many add, remove and delete at once', async () => {
    const seed = Date.now() % 1_000_000;
    const random = randomSequence(seed);
    const people = await Promise.all(Array.from({ length: 6 }, () => insertPerson()));
    const groups = [await create(), await create()];
    const from = events.length;
    const some = () => people.filter(() => random(2) === 0).sort(() => random(3) - 1);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, i) => {
        const group = groups[random(2)]!.id;
        if (i === 40) return request(deleteGroup, { group: groups[1]!.id }, 'gateway', context());
        const users = some();
        return change(random(3) === 0 ? removeGroupMembers : addGroupMembers, group, users.length ? users : people);
      }),
    );
    const unexpected = outcomes.filter(
      (outcome) => outcome.status === 'rejected' && (outcome.reason as { code: string }).code !== 'unknown_group',
    );
    expect([seed, unexpected]).toEqual([seed, []]);

    // The versions of each person have no gap, and the last event of each group and person says what is stored.
    const last = new Map<string, string>();
    const own = await eventually(async () => {
      const versions = await Promise.all(people.map(versionOf));
      const found = events.slice(from).filter(({ user }) => user !== undefined && people.includes(user));
      return found.length === versions.reduce((sum, version) => sum + version - 1, 0) ? found : false;
    });
    for (const event of own.toSorted((a, b) => a.version - b.version))
      last.set(`${event.user} ${(event.data as { group: string }).group}`, event.type);
    const expected = people.filter((person) => last.get(`${person} ${groups[0]!.id}`) === 'group.member_added');
    expect([seed, await members(groups[0]!.id)]).toEqual([seed, expected.sort()]);
    await expect(members(groups[1]!.id)).rejects.toMatchObject({ code: 'unknown_group' });
  });
});
