import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  createOrganization,
  hubClientId,
  listEntitlements,
  peopleWithAccess,
  personAccess,
  type Entitlement,
  type ReplyOf,
} from '@holdfast/contracts';
import { FakeClock, randomSequence, testContext } from '@holdfast/testing';
import { database, newApp, newPerson, request, withDirectory } from '../directory.fixture.js';
import { insertApp, insertAssignment, insertPerson } from './people.fixture.js';

const clock = new FakeClock(new Date());
withDirectory('http://localhost', clock);

interface Assigned {
  id: string;
  app: string;
  person?: string;
  group?: string;
  request?: string;
  at: number;
  expiresAt?: number;
}
interface Model {
  people: { id: string; active: boolean; at: number }[];
  apps: { id: string; usable: boolean; hub: boolean }[];
  groups: { id: string; members: Map<string, number> }[];
  assignments: Assigned[];
}

const start = clock.now().getTime();
const iso = (at: number) => new Date(at).toISOString();

/** A small organization of any shape. Times repeat, so that ids must break ties. */
async function anyOrganization(org: string, seed: number): Promise<Model> {
  const random = randomSequence(seed);
  const at = () => start - 1000 * (1 + random(5));
  const one = <T>(items: readonly T[]) => items[random(items.length)]!;
  const model: Model = { people: [], apps: [], groups: [], assignments: [] };
  await request(createOrganization, { shortId: org, name: org });
  for (let i = 0; i < 8; i += 1) {
    const status = one(['active', 'active', 'active', 'invited', 'deactivated'] as const);
    const created = at();
    const id = await insertPerson(status, org, new Date(created));
    model.people.push({ id, active: status === 'active', at: created });
  }
  for (let i = 0; i < 5; i += 1) {
    const [hub, disabled, audience] = [i === 0, i === 1, i === 2 ? 'customers' : 'people'] as const;
    const id = hub ? hubClientId(org) : await insertApp({ org, disabled, audience });
    model.apps.push({ id, hub, usable: !disabled && audience === 'people' });
  }
  for (let i = 0; i < 4; i += 1) {
    const id = randomUUID();
    await database.query('INSERT INTO directory.person_group (id, org, name, name_key) VALUES ($1, $2, $3, $3)', [
      id,
      org,
      `group ${i}`,
    ]);
    const members = new Map<string, number>();
    for (const { id: person } of model.people.filter(() => random(2) === 0)) {
      members.set(person, at());
      await database.query(
        'INSERT INTO directory.group_member (org, group_id, person_id, added_at) VALUES ($1, $2, $3, $4)',
        [org, id, person, iso(members.get(person)!)],
      );
    }
    model.groups.push({ id, members });
  }
  for (let i = 0; i < 30; i += 1) {
    const toPerson = random(2) === 0;
    const ofRequest = toPerson && random(2) === 0;
    const assigned: Assigned = {
      id: randomUUID(),
      app: one(model.apps).id,
      ...(toPerson ? { person: one(model.people).id } : { group: one(model.groups).id }),
      ...(ofRequest && { request: randomUUID(), expiresAt: start + 1000 * random(3) }),
      at: at(),
    };
    const { rowCount } = await database
      .query(
        `INSERT INTO directory.assignment (id, org, client_id, person_id, group_id, access_request_id, created_at,
           expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING id`,
        [
          assigned.id,
          org,
          assigned.app,
          assigned.person,
          assigned.group,
          assigned.request,
          iso(assigned.at),
          assigned.expiresAt === undefined ? null : iso(assigned.expiresAt),
        ],
      )
      .then((rows) => ({ rowCount: rows.length }));
    if (rowCount > 0) model.assignments.push(assigned);
  }
  return model;
}

/** Every path, without indexes, pages or SQL. */
function expected({ people, apps, groups, assignments }: Model, now: number): Entitlement[] {
  const active = new Set(people.filter((p) => p.active).map(({ id }) => id));
  const usable = new Set(apps.filter((app) => app.usable && !app.hub).map(({ id }) => id));
  const sorted: { key: string; row: Entitlement }[] = [];
  const add = (at: number, id: string, row: Entitlement) => sorted.push({ key: `${iso(at)} ${id} ${row.user}`, row });
  for (const { id, app, person, group, request: accessRequest, at, expiresAt } of assignments) {
    if (!usable.has(app) || (expiresAt !== undefined && expiresAt <= now)) continue;
    const members = person === undefined ? groups.find((g) => g.id === group)!.members : new Map([[person, at]]);
    for (const [user, addedAt] of members)
      if (active.has(user))
        add(at, id, {
          user,
          app,
          path: group !== undefined ? 'group' : accessRequest === undefined ? 'direct' : 'request',
          assignment: id,
          ...(group !== undefined && { group }),
          ...(accessRequest !== undefined && { accessRequest }),
          since: iso(Math.max(at, addedAt)),
          ...(expiresAt !== undefined && { expiresAt: iso(expiresAt) }),
        });
  }
  for (const hub of apps.filter((app) => app.hub && app.usable))
    for (const { id, at } of people.filter((p) => p.active))
      add(at, id, { user: id, app: hub.id, path: 'role', since: iso(at) });
  return sorted.sort((a, b) => (a.key < b.key ? 1 : -1)).map(({ row }) => row);
}

async function listed(org: string, filter: object, limit: number): Promise<Entitlement[]> {
  const items: Entitlement[] = [];
  let after: ReplyOf<typeof listEntitlements>['next'];
  do {
    const page: ReplyOf<typeof listEntitlements> = await request(
      listEntitlements,
      { ...filter, limit, ...(after && { after }) },
      'gateway',
      testContext({ org }),
    );
    items.push(...page.items);
    after = page.next;
  } while (after);
  return items;
}

describe('entitlements', () => {
  it.each([1, 2, 3])('are those of a naive model, for each filter and page size (organization %i)', async (n) => {
    const org = `any-${n}`;
    const seed = (Date.now() % 1_000_000) * 10 + n;
    const model = await anyOrganization(org, seed);
    for (const elapsedMs of [0, 999, 1000, 2000]) {
      clock.set(new Date(start + elapsedMs));
      const all = expected(model, start + elapsedMs);
      const check = async (filter: { user?: string; app?: string; group?: string }, limit: number) => {
        const wanted = all.filter(
          (item) =>
            (filter.user === undefined || item.user === filter.user) &&
            (filter.app === undefined || item.app === filter.app) &&
            (filter.group === undefined || item.group === filter.group),
        );
        expect([seed, elapsedMs, filter, await listed(org, filter, limit)]).toEqual([seed, elapsedMs, filter, wanted]);
      };
      for (const limit of [1, 3, 200]) await check({}, limit);
      const random = randomSequence(seed + elapsedMs);
      for (const { id: user } of model.people) {
        await check({ user }, 1 + random(4));
        await check({ user, app: model.apps[random(5)]!.id }, 1 + random(4));
        await check({ user, group: model.groups[random(4)]!.id }, 1 + random(4));
      }
      for (const { id: app } of model.apps) await check({ app }, 1 + random(4));
      for (const { id: group } of model.groups) {
        await check({ group }, 1 + random(4));
        await check({ group, app: model.apps[random(5)]!.id }, 1 + random(4));
        await check({ group, app: model.apps[random(5)]!.id, user: model.people[random(8)]!.id }, 1 + random(4));
      }
      // Sign-in and token refresh follow the same rule.
      for (const { id: clientId } of model.apps) {
        const people = model.people.map(({ id }) => id);
        const reply = await request(peopleWithAccess, { clientId, people }, 'auth', testContext({ org }));
        const able = new Set(all.filter(({ app }) => app === clientId).map(({ user }) => user));
        expect([seed, reply.people.sort()]).toEqual([seed, [...able].sort()]);
      }
    }
    clock.set(new Date(start));
  });

  it('of another organization are in no list', async () => {
    const model = await anyOrganization('mine', 7);
    expect(await listed('acme', { user: model.people[0]!.id }, 50)).toEqual([]);
    expect(await listed('acme', { app: model.apps[3]!.id }, 50)).toEqual([]);
    expect(await listed('acme', { group: model.groups[0]!.id }, 50)).toEqual([]);
  });
});

describe('what a person may do in an app', () => {
  const access = (person: string, clientId: string, org = 'acme') =>
    request(personAccess, { person, clientId }, 'auth', testContext({ org }));

  it('is said with e-mail address, name, groups and roles to nobody but who is assigned', async () => {
    const { id, email, name } = await newPerson({ roles: ['auditor'] });
    const [assigned, other] = [await insertApp(), await insertApp()];
    await insertAssignment(assigned, id);
    await expect(access(id, assigned)).resolves.toEqual({
      state: 'assigned',
      email,
      name,
      groups: [],
      roles: ['auditor'],
      version: expect.any(Number),
      since: expect.any(Number),
    });
    await expect(access(id, other)).resolves.toEqual({ state: 'not_assigned' });
    await expect(access(id, 'app_unknown')).resolves.toEqual({ state: 'not_assigned' });
    await expect(access(id, (await newApp('web')).app.clientId)).resolves.toEqual({ state: 'not_assigned' });
    await expect(access(randomUUID(), assigned)).resolves.toEqual({ state: 'unknown' });
    await expect(access(await insertPerson('invited'), assigned)).resolves.toEqual({ state: 'unknown' });
    await expect(access(await insertPerson('deactivated'), assigned)).resolves.toEqual({ state: 'deactivated' });
  });
});
