import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  assign,
  createGroup,
  hubClientId,
  listAssignments,
  peopleWithAccess,
  unassign,
  type Assignee,
  type RequestContext,
} from '@holdfast/contracts';
import { eventually, FakeClock, testContext } from '@holdfast/testing';
import { database, eventOf, events, newName, request, withDirectory } from '../directory.fixture.js';
import { insertApp, insertPerson } from '../entitlements/people.fixture.js';

const clock = new FakeClock(new Date());
withDirectory('http://localhost', clock);

const create = (clientId: string, assignee: Assignee, context: RequestContext = testContext()) =>
  request(assign, { clientId, assignee }, 'gateway', context);
const end = (clientId: string, assignment: string, context: RequestContext = testContext()) =>
  request(unassign, { clientId, assignment }, 'gateway', context);
const list = async (clientId: string, filter: object = {}) =>
  (await request(listAssignments, { clientId, limit: 200, ...filter }, 'gateway', testContext())).items;
const mayUse = async (person: string, clientId: string) =>
  (await request(peopleWithAccess, { clientId, people: [person] }, 'auth', testContext())).people.length === 1;
const newGroup = async () =>
  (await request(createGroup, { group: { name: newName('Group') } }, 'gateway', testContext())).group.id;

describe('an assignment', () => {
  it('is created and ended with one event of its person or group, and one record', async () => {
    const [app, person, group] = [await insertApp(), await insertPerson(), await newGroup()];
    for (const assignee of [{ user: person }, { group }]) {
      const [created, ended] = [testContext(), testContext()];
      const { assignment } = await create(app, assignee, created);
      const { id } = assignment;
      const createdBy = { type: created.actor.type, id: created.actor.id };
      expect(assignment).toEqual({ id, app, ...assignee, createdAt: clock.now().toISOString(), createdBy });
      expect(await list(app)).toEqual([assignment]);
      expect(await list(app, assignee)).toEqual([assignment]);
      expect(await list(app, { user: randomUUID() })).toEqual([]);
      await expect(create(app, assignee)).rejects.toMatchObject({ code: 'conflict' });
      await end(app, id, ended);
      await expect(end(app, id)).rejects.toMatchObject({ code: 'unknown_assignment' });
      expect(await list(app)).toEqual([]);
      expect(await eventOf(created.auditId)).toMatchObject({
        type: 'assignment.created',
        version: 2,
        ...assignee,
        data: { assignment: id, app, ...assignee },
        audit: { action: 'assignment.create' },
      });
      expect(await eventOf(ended.auditId)).toMatchObject({
        type: 'assignment.ended',
        version: 3,
        ...assignee,
        data: { assignment: id, app, ...assignee, cause: 'removed' },
        audit: { action: 'assignment.end', changes: { cause: { to: 'removed' } } },
      });
    }
  });

  it('is refused for apps of customers, for the hub, and for apps and people of other organizations', async () => {
    const person = await insertPerson();
    const invalid = { code: 'invalid_request', status: 422 };
    await expect(create(await insertApp({ audience: 'customers' }), { user: person })).rejects.toMatchObject(invalid);
    await expect(create(hubClientId('acme'), { user: person })).rejects.toMatchObject(invalid);
    await expect(create('app_unknown', { user: person })).rejects.toMatchObject({ code: 'unknown_app' });
    const app = await insertApp();
    const foreign = testContext({ org: 'foreign' });
    await expect(create(app, { user: person }, foreign)).rejects.toMatchObject({ code: 'unknown_app' });
    await expect(create(app, { user: randomUUID() })).rejects.toMatchObject({
      ...invalid,
      errors: [{ pointer: '#/user' }],
    });
    await expect(create(app, { group: randomUUID() })).rejects.toMatchObject({
      ...invalid,
      errors: [{ pointer: '#/group' }],
    });
  });

  it('of a deactivated person has no effect until they are active', async () => {
    const [app, person] = [await insertApp(), await insertPerson('deactivated')];
    await create(app, { user: person });
    expect(await mayUse(person, app)).toBe(false);
    await database.query(`UPDATE directory.person SET status = 'active' WHERE id = $1`, [person]);
    expect(await mayUse(person, app)).toBe(true);
  });

  it('that is created and ended at once many times leaves versions without gaps', async () => {
    const [app, person] = [await insertApp(), await insertPerson()];
    const from = events.length;
    await Promise.all(
      Array.from({ length: 30 }, async () => {
        const created = await create(app, { user: person }).catch(() => undefined);
        if (created) await end(app, created.assignment.id).catch(() => undefined);
      }),
    );
    const [row] = await database.query<{ version: number }>('SELECT version FROM directory.person WHERE id = $1', [
      person,
    ]);
    const versions = await eventually(() => {
      const own = events.slice(from).filter(({ user }) => user === person);
      return own.length === row!.version - 1 ? own.map(({ version }) => version).sort((a, b) => a - b) : false;
    });
    expect(versions).toEqual(Array.from({ length: versions.length }, (_, i) => i + 2));
    expect(await list(app)).toEqual([]);
  });

  it('that ends by itself does not count from that second on, and its end is emitted once each', async () => {
    const [app, person] = [await insertApp(), await insertPerson()];
    const at = clock.now().getTime() + 60_000;
    await database.query(
      `INSERT INTO directory.assignment (id, org, client_id, person_id, access_request_id, expires_at)
       SELECT gen_random_uuid(), 'acme', $1, $2, gen_random_uuid(), $3 FROM generate_series(1, 120)`,
      [app, person, new Date(at)],
    );
    clock.set(new Date(at - 1));
    expect([await mayUse(person, app), (await list(app)).length]).toEqual([true, 120]);
    clock.set(new Date(at));
    expect([await mayUse(person, app), await list(app)]).toEqual([false, []]);
    const ended = await eventually(() => {
      const own = events.filter(({ type, user }) => type === 'assignment.ended' && user === person);
      return own.length >= 120 ? own : false;
    });
    expect(ended).toHaveLength(120);
    expect(ended.map(({ version }) => version).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 120 }, (_, i) => i + 2),
    );
    expect(ended[0]).toMatchObject({
      data: { app, user: person, cause: 'expired' },
      audit: { action: 'assignment.end', actor: { type: 'system' }, changes: { cause: { to: 'expired' } } },
    });
    expect(new Set(ended.map(({ audit }) => audit!.id)).size).toBe(120);
    expect(await database.query('SELECT 1 FROM directory.assignment WHERE client_id = $1', [app])).toEqual([]);
  });
});
