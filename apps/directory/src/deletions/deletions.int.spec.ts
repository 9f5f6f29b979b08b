import { describe, expect, it } from '@jest/globals';
import {
  addGroupMembers,
  approveAccessRequest,
  assign,
  createAccessRequest,
  createGroup,
  deleteApp,
  deleteGroup,
  denyAccessRequest,
  getAccessRequest,
  getGroup,
  hubClientId,
  listGroupMembers,
  listGroups,
  listGroupsOfPerson,
  listPeople,
  personAccess,
  removeGroupMembers,
  updateGroup,
  type DirectoryEvent,
} from '@holdfast/contracts';
import { eventually, testContext } from '@holdfast/testing';
import {
  database,
  eventOf,
  events,
  newName,
  newPerson,
  operator,
  personContext,
  request,
  withDirectory,
} from '../directory.fixture.js';
import { insertApp, insertPerson } from '../entitlements/people.fixture.js';

withDirectory();

const program = () => testContext({ actor: { type: 'app', id: 'app_program' } });
const newGroup = async (name = newName('Group')) =>
  (await request(createGroup, { group: { name } }, 'gateway', program())).group.id;
const newPeople = (count: number) => Promise.all(Array.from({ length: count }, () => insertPerson()));
const add = (group: string, users: string[]) => request(addGroupMembers, { group, users }, 'gateway', program());
const removeGroup = (group: string, context = program()) => request(deleteGroup, { group }, 'gateway', context);
const removeApp = (clientId: string) => request(deleteApp, { clientId });
const requestAccess = async (person: string, app: string) =>
  (
    await request(
      createAccessRequest,
      { accessRequest: { app, reason: 'On call', durationSeconds: 3600 } },
      'gateway',
      personContext(person),
    )
  ).accessRequest.id;
const requestOf = (id: string) => request(getAccessRequest, { id }, 'gateway', program());
/** Assigns all to the app, as rows. */
const insertAssignments = (app: string, people: string[]) =>
  database.query<{ id: string }>(
    `INSERT INTO directory.assignment (id, org, client_id, person_id)
     SELECT gen_random_uuid(), 'acme', $1, id FROM unnest($2::uuid[]) AS p (id) RETURNING id`,
    [app, people],
  );
const insertMembers = (group: string, people: string[]) =>
  database.query(
    `INSERT INTO directory.group_member (org, group_id, person_id)
     SELECT 'acme', $1, id FROM unnest($2::uuid[]) AS p (id)`,
    [group, people],
  );
const finished = () =>
  eventually(async () => {
    const [left] = await database.query<{ apps: number; groups: number }>(
      `SELECT (SELECT count(*)::int FROM directory.app WHERE ending) AS apps,
           (SELECT count(*)::int FROM directory.person_group WHERE deleted_at IS NOT NULL) AS groups`,
    );
    return left!.apps + left!.groups === 0;
  }, 'the end of all deletions');
/** Events of these types about the app or group, when there are so many. */
const eventsOf = (types: DirectoryEvent['type'][], of: { app?: string; group?: string }, count: number) =>
  eventually(
    () => {
      const found = events.filter(({ type, data }) => {
        const { app, group } = (data ?? {}) as { app?: string; group?: string };
        return types.includes(type) && (of.app === undefined || app === of.app) && (!of.group || group === of.group);
      });
      return found.length >= count && found;
    },
    `${count} × ${types.join(', ')}`,
  );
/** Throws unless the versions of the events of each person have no gap and no repetition. */
async function assertVersions(people: string[]): Promise<void> {
  const rows = await database.query<{ id: string; version: number }>(
    'SELECT id, version FROM directory.person WHERE id = ANY ($1)',
    [people],
  );
  for (const { id, version } of rows) {
    const versions = events.filter(({ user }) => user === id).map((event) => event.version);
    expect(versions.sort((a, b) => a - b)).toEqual(
      Array.from({ length: versions.length }, (_, i) => version - versions.length + 1 + i),
    );
  }
}

describe('the deletion of an app', () => {
  it('ends each assignment with its event and record, once, in many transactions', async () => {
    const [app, other, group] = [await insertApp(), await insertApp(), await newGroup()];
    const people = await newPeople(250);
    const ids = (await insertAssignments(app, people)).map(({ id }) => id);
    await insertAssignments(other, people.slice(0, 3));
    ids.push((await request(assign, { clientId: app, assignee: { group } }, 'gateway', program())).assignment.id);
    await removeApp(app);
    await finished();
    const ended = await eventsOf(['assignment.ended'], { app }, ids.length);
    expect(ended.map(({ data }) => (data as { assignment: string }).assignment).sort()).toEqual(ids.toSorted());
    for (const { data, user, audit } of ended) {
      expect(data).toMatchObject({ app, cause: 'app_deleted', ...(user !== undefined && { user }) });
      expect(audit).toMatchObject({ action: 'assignment.end', actor: { type: 'system' } });
      expect(audit!.targets).toContainEqual({ type: 'app', id: app });
    }
    expect(ended.filter(({ user }) => user === undefined).map((e) => [e.group, e.version])).toEqual([[group, 3]]);
    expect(new Set(ended.map(({ audit }) => audit!.id)).size).toBe(ids.length);
    await assertVersions(people);
    const left = await database.query('SELECT client_id FROM directory.assignment WHERE person_id = ANY ($1)', [
      people,
    ]);
    expect(left).toEqual(Array(3).fill({ client_id: other }));
  });

  it('cancels pending access requests, with event and record, and leaves the decided ones', async () => {
    const [app, other] = [await insertApp(), await insertApp()];
    const [pending, approved, denied] = [await newPerson(), await newPerson(), await newPerson()];
    const ids = { pending: await requestAccess(pending.id, app), elsewhere: await requestAccess(pending.id, other) };
    const decided = { approved: await requestAccess(approved.id, app), denied: await requestAccess(denied.id, app) };
    await request(approveAccessRequest, { id: decided.approved, approval: {} }, 'gateway', program());
    await request(denyAccessRequest, { id: decided.denied, denial: { reason: 'No' } }, 'gateway', program());
    await removeApp(app);
    await finished();
    expect(await requestOf(ids.pending)).toMatchObject({ status: 'cancelled', decidedAt: expect.any(String) });
    expect((await requestOf(ids.elsewhere)).status).toBe('pending');
    expect(await requestOf(decided.approved)).toMatchObject({ status: 'approved' });
    expect(await requestOf(decided.approved)).not.toHaveProperty('assignment');
    expect((await requestOf(decided.denied)).status).toBe('denied');
    const [cancelled, ...more] = await eventsOf(['access_request.cancelled'], { app }, 1);
    expect([more, cancelled]).toEqual([
      [],
      expect.objectContaining({
        user: pending.id,
        data: { accessRequest: ids.pending, user: pending.id, app },
        audit: expect.objectContaining({ action: 'access_request.cancel', actor: { type: 'system', id: 'directory' } }),
      }),
    ]);
    await expect(
      request(approveAccessRequest, { id: ids.pending, approval: {} }, 'gateway', program()),
    ).rejects.toMatchObject({ code: 'invalid_state', detail: expect.stringContaining('is cancelled since') });
    await assertVersions([pending.id, approved.id]);
  });

  it('leaves no access request that is made or approved at the same time', async () => {
    const person = await newPerson();
    for (let i = 0; i < 8; i += 1) {
      const app = await insertApp();
      const earlier = await newPerson();
      const pending = await requestAccess(earlier.id, app);
      const [made, approved, deleted] = await Promise.allSettled([
        requestAccess(person.id, app),
        request(approveAccessRequest, { id: pending, approval: {} }, 'gateway', program()),
        removeApp(app),
      ]);
      expect(deleted.status).toBe('fulfilled');
      if (made.status === 'rejected') expect(made.reason).toMatchObject({ code: 'invalid_request' });
      if (approved.status === 'rejected') expect(approved.reason).toMatchObject({ code: 'invalid_state' });
      await finished();
      const left = await database.query(
        `SELECT id FROM directory.access_request WHERE client_id = $1 AND status = 'pending'
         UNION ALL SELECT id FROM directory.assignment WHERE client_id = $1`,
        [app],
      );
      expect(left).toEqual([]);
    }
  });

  it('emits each end once when all sessions of the database are ended again and again meanwhile', async () => {
    const app = await insertApp();
    const people = await newPeople(400);
    const ids = (await insertAssignments(app, people)).map(({ id }) => id);
    const left = async () =>
      (
        await database.query<{ n: number }>(
          'SELECT count(*)::int AS n FROM directory.assignment WHERE client_id = $1',
          [app],
        )
      )[0]!.n;
    await removeApp(app);
    let interrupted = 0;
    await eventually(async () => {
      const before = await left();
      if (before === 0) return true;
      await database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND usename = 'holdfast_directory'`,
      );
      interrupted += 1;
      await eventually(async () => (await left()) < before);
      return false;
    });
    await finished();
    expect(interrupted).toBeGreaterThan(1);
    const ended = await eventsOf(['assignment.ended'], { app }, ids.length);
    expect(ended.map(({ data }) => (data as { assignment: string }).assignment).sort()).toEqual(ids.toSorted());
  });

  it('by the operator is refused for the hub, and recorded', async () => {
    await expect(removeApp(hubClientId('acme'))).rejects.toMatchObject({ code: 'app_protected' });
    const [app, context] = [await insertApp(), testContext({ actor: operator })];
    await request(deleteApp, { clientId: app }, 'operator', context);
    expect(await eventOf(context.auditId)).toMatchObject({ type: 'app.deleted', audit: { action: 'app.delete' } });
    await expect(removeApp(app)).rejects.toMatchObject({ code: 'unknown_app' });
  });
});

describe('the deletion of a group', () => {
  it('hides it at once, and ends each assignment and membership with an event', async () => {
    const name = newName('Crew');
    const [app, group, kept] = [await insertApp(), await newGroup(name), await newGroup()];
    const people = await newPeople(230);
    await Promise.all([insertMembers(group, people), insertMembers(kept, people.slice(0, 2))]);
    const { assignment } = await request(assign, { clientId: app, assignee: { group } }, 'gateway', program());
    const context = program();
    await removeGroup(group, context);

    const unknown = { code: 'unknown_group' };
    await expect(request(getGroup, { group }, 'gateway', program())).rejects.toMatchObject(unknown);
    await expect(removeGroup(group)).rejects.toMatchObject(unknown);
    await expect(add(group, [people[0]!])).rejects.toMatchObject(unknown);
    await expect(request(updateGroup, { group, changes: { name } }, 'gateway', program())).rejects.toMatchObject(
      unknown,
    );
    await expect(request(listGroupMembers, { group, limit: 1 }, 'gateway', program())).rejects.toMatchObject(unknown);
    await expect(request(assign, { clientId: app, assignee: { group } }, 'gateway', program())).rejects.toMatchObject({
      code: 'invalid_request',
    });
    const found = await request(listGroups, { q: name, limit: 5 }, 'gateway', program());
    expect(found.items).toEqual([]);
    expect((await request(listPeople, { group, limit: 5 })).items).toEqual([]);
    const of = await request(listGroupsOfPerson, { user: people[0]!, limit: 5 }, 'gateway', program());
    expect(of.items.map((item) => item.group)).toEqual([kept]);
    const access = await request(personAccess, { person: people[0]!, clientId: app }, 'auth', testContext());
    expect(access.state).toBe('not_assigned');
    await expect(newGroup(name)).resolves.not.toBe(group);

    await finished();
    expect((await eventOf(context.auditId)).type).toBe('group.deleted');
    const [ended] = await eventsOf(['assignment.ended'], { group }, 1);
    expect(ended!.data).toEqual({ assignment: assignment.id, group, app, cause: 'group_deleted' });
    const removed = await eventsOf(['group.member_removed'], { group }, people.length);
    expect(removed.map(({ user }) => user).sort()).toEqual(people.toSorted());
    const records = removed.flatMap(({ audit }) => audit ?? []);
    expect(records.map(({ action, actor }) => `${action} ${actor.type}`)).toEqual(
      Array(3).fill('group.member.remove system'),
    );
    const named = records.flatMap(({ targets }) => targets.flatMap(({ type, id }) => (type === 'person' ? [id] : [])));
    expect(named.sort()).toEqual(people.toSorted());
    await assertVersions(people);
    expect(await database.query('SELECT 1 FROM directory.person_group WHERE id = $1', [group])).toEqual([]);
  });

  it('by two callers, of an app and of changing groups with the same people, dead-locks nobody', async () => {
    const people = await newPeople(120);
    const [app, first, second, third] = [await insertApp(), await newGroup(), await newGroup(), await newGroup()];
    await Promise.all([first, second].map((group, i) => insertMembers(group, i ? people : people.toReversed())));
    await insertAssignments(app, people.toReversed());
    const change = (contract: typeof addGroupMembers | typeof removeGroupMembers, i: number) =>
      request(contract, { group: third, users: i % 2 ? people : people.toReversed() }, 'gateway', program());
    const deadlocks = async () =>
      (
        await database.query<{ n: number }>(
          'SELECT deadlocks::int AS n FROM pg_stat_database WHERE datname = current_database()',
        )
      )[0]!.n;
    const before = await deadlocks();
    const results = await Promise.allSettled([
      removeGroup(first),
      removeGroup(second),
      removeApp(app),
      ...Array.from({ length: 12 }, (_, i) => change(i % 3 ? addGroupMembers : removeGroupMembers, i)),
    ]);
    await finished();
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(await deadlocks()).toBe(before);
    await Promise.all([first, second].map((group) => eventsOf(['group.member_removed'], { group }, people.length)));
    await eventsOf(['assignment.ended'], { app }, people.length);
    await assertVersions(people);
  });

  it('leaves nobody in it who is added at the same time', async () => {
    for (let i = 0; i < 8; i += 1) {
      const [group, people] = [await newGroup(), await newPeople(5)];
      const [added, removed] = await Promise.allSettled([add(group, people), removeGroup(group)]);
      expect(removed.status).toBe('fulfilled');
      if (added.status === 'rejected') expect(added.reason).toMatchObject({ code: 'unknown_group' });
      await finished();
      const count = added.status === 'rejected' ? 0 : people.length;
      expect(await eventsOf(['group.member_removed'], { group }, count)).toHaveLength(count);
      expect(await database.query('SELECT 1 FROM directory.group_member WHERE group_id = $1', [group])).toEqual([]);
    }
  });

  it('does not wait for the removal of one of its members, who has one event then', async () => {
    const group = await newGroup();
    const [person, other] = [await newPerson(), await insertPerson()];
    await add(group, [person.id, other]);
    await removeGroup(group);
    await database.query('DELETE FROM directory.person WHERE id = $1', [person.id]);
    await finished();
    const removed = await eventsOf(['group.member_removed'], { group }, 1);
    expect(removed.map(({ user }) => user)).toContain(other);
    expect(removed.length).toBeLessThanOrEqual(2);
  });
});
