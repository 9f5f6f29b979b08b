import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Statement } from '@holdfast/data';
import { LargeOrganization } from '@holdfast/testing';
import { accessRequestPages } from '../access-requests/list-access-requests.handler.js';
import { assignmentPages } from '../assignments/list-assignments.handler.js';
import { peopleWithAccessStatement, personAccessStatement } from '../assignments/person-access.js';
import { database, newPerson, withDirectory } from '../directory.fixture.js';
import { groupPages } from '../groups/list-groups.handler.js';
import { memberPages } from '../groups/list-members.handler.js';
import { lastId, newest } from '../groups/newest.js';
import { peopleLoadStatement, peoplePages } from '../people/people-list.js';
import { entitlementPage } from './entitlement-pages.js';

withDirectory();

const now = '2026-11-21T09:30:00.000Z';
const limit = 51;
/** How many rows a page with several filters looks at. */
const candidates = 1000;
const first = [newest.at, newest.id];
const middleId = '20000000-0000-4000-8000-000000000000';

/** A page: the most buffers that it may touch, its statement, and the values of the first one and of a late one. */
type Page = [most: number, statement: Statement, first: unknown[], late?: unknown[] | undefined];
type Pages = Record<string, Page>;

function peopleOf(o: LargeOrganization): Pages {
  const late = [o.at(o.people / 10), lastId];
  const everybody = o.id('group', o.everybody);
  const [all, few] = o.tokens;
  const page = (most: number, statement: Statement, filters: unknown[], scanned = limit): Page => [
    most,
    statement,
    [o.org, ...first, ...filters, scanned],
    [o.org, ...late, ...filters, scanned],
  ];
  const ids = Array.from({ length: limit }, (_, i) => o.id('person', 1 + i * 100));
  return {
    people: page(600, peoplePages.none, [null, null, null, []]),
    'people of a status': page(600, peoplePages.status, [null, null, 'active', []]),
    'people found by one word': page(1000, peoplePages.q, [null, null, null, [all]]),
    'people found by two words': page(10_000, peoplePages.q, [null, null, null, [all, few]], candidates),
    'people of a group': page(1000, peoplePages.group, [everybody, null, null, []]),
    'people with a role': page(5000, peoplePages.role, [null, 'support', null, []], candidates),
    'people by filters that nobody passes': page(
      20_000,
      peoplePages.q,
      [everybody, 'owner', 'active', [all]],
      candidates,
    ),
    'people by id': [600, peopleLoadStatement, [o.org, ids]],
  };
}

function groupsOf(o: LargeOrganization): Pages {
  const names = [o.org, limit, 'group 9', 'group 9\u{10FFFF}'];
  const members = (statement: Statement, id: string, late: number): Page => [
    500,
    statement,
    [o.org, id, limit, ...first],
    [o.org, id, limit, o.at(late), lastId],
  ];
  return {
    groups: [150, groupPages.newest, [o.org, limit, ...first], [o.org, limit, o.at(o.people / 100), lastId]],
    'groups by name': [150, groupPages.named, [...names, ''], [...names, 'group 98']],
    'members of a group': members(memberPages.ofGroup, o.id('group', 100), 60),
    'members of a group with everybody': members(memberPages.ofGroup, o.id('group', o.everybody), o.people / 10),
    'groups of a person': members(memberPages.ofPerson, o.id('person', 8), 90),
    'groups of a person who is in a hundred': members(memberPages.ofPerson, o.id('person', o.busy), 60),
  };
}

function assignmentsOf(o: LargeOrganization): Pages {
  const app = o.app(8);
  const page = (statement: Statement, ...filter: string[]): Page => [
    150,
    statement,
    [o.org, app, now, limit, ...first, ...filter],
    [o.org, app, now, limit, o.at(o.people / 10), lastId, ...filter],
  ];
  return {
    assignments: page(assignmentPages.all),
    'assignments of a person': page(assignmentPages.user, o.id('person', 7)),
    'assignments of a group': page(assignmentPages.group, o.id('group', 7)),
  };
}

function accessRequestsOf(o: LargeOrganization): Pages {
  const page = (most: number, shape: keyof typeof accessRequestPages, filters: unknown[], scanned = limit): Page => [
    most,
    accessRequestPages[shape],
    [o.org, ...first, scanned, ...filters, now],
    [o.org, o.at(o.people / 10), lastId, scanned, ...filters, now],
  ];
  return {
    'access requests': page(600, 'none', [null, null, null]),
    'access requests for an app': page(600, 'app', [null, null, o.app(1)]),
    'access requests of a person': page(600, 'user', [null, o.id('person', 10), null]),
    'pending access requests': page(12_000, 'status', ['pending', null, null], candidates),
    'pending access requests for an app': page(12_000, 'app', ['pending', null, o.app(1)], candidates),
  };
}

function entitlementsOf(o: LargeOrganization): Pages {
  const [user, group, app, hub] = [o.id('person', o.busy), o.id('group', 7), o.app(8), `hub_${o.org}`];
  const everybody = o.id('group', o.everybody);
  const late = o.people / 10;
  /** Cursors are a time, the id of an assignment, and a person. */
  const page = (filters: { user?: string; app?: string; group?: string }, after?: string[], most = 600): Page => {
    const given = [filters.user, filters.app, filters.group].filter((filter) => filter !== undefined);
    const [hasUser, hasApp, hasGroup] = [filters.user, filters.app, filters.group].map((f) => f !== undefined);
    const values = (cursor: string[]) => [o.org, now, limit, ...cursor, ...given];
    const statement = entitlementPage({ user: hasUser!, app: hasApp!, group: hasGroup! });
    return [most, statement, values([newest.at, lastId, lastId]), after && values(after)];
  };
  const behind = (kind: 'assignment' | 'group assignment' | 'person', i: number, person = lastId) => [
    o.at(i),
    o.id(kind, i),
    person,
  ];
  return {
    entitlements: page({}, behind('assignment', o.people / 2 + 1)),
    'entitlements, among those of groups': page({}, behind('group assignment', late / 5)),
    'entitlements to an app': page({ app }, behind('assignment', late + 7)),
    'entitlements to the hub': page({ app: hub }, behind('person', late, o.id('person', late))),
    'entitlements through a group': page({ group }, behind('group assignment', 7, middleId)),
    'entitlements through a group with everybody': page(
      { group: everybody },
      behind('group assignment', o.everybody, middleId),
    ),
    'entitlements of a person': page({ user }, behind('assignment', 7), 3000),
    'entitlements of a person to an app': page({ user, app }, undefined, 1500),
    'entitlements of a person through a group': page({ user, group }),
    'entitlements to an app through a group': page({ app, group }),
    'entitlements of a person to an app through a group': page({ user, app, group }),
  };
}

function signInsOf(o: LargeOrganization): Pages {
  const check = (most: number, person: string, app: number): Page => [
    most,
    personAccessStatement,
    [o.org, person, o.app(app), now],
  ];
  const people = Array.from({ length: candidates }, (_, i) => o.id('person', 1 + i));
  return {
    'sign-in of a person': check(150, o.id('person', 8), 9),
    'sign-in of a person who is not assigned': check(150, o.id('person', 10), 99),
    'sign-in of a person who is in a hundred groups': check(1500, o.id('person', o.busy), 99),
    'sign-in of nobody': check(20, lastId, 8),
    'whether one person may use an app': [150, peopleWithAccessStatement, [o.org, o.app(9), [o.id('person', 8)], now]],
    'who of a thousand may use an app': [100_000, peopleWithAccessStatement, [o.org, o.app(9), people, now]],
  };
}

interface Buffers {
  most: number;
  first: number;
  late: number;
}

async function measure(o: LargeOrganization): Promise<Map<string, Buffers>> {
  const pages = [peopleOf, groupsOf, assignmentsOf, accessRequestsOf, entitlementsOf, signInsOf].flatMap((of) =>
    Object.entries(of(o)),
  );
  const measured = new Map<string, Buffers>();
  for (const [name, [most, { text }, firstValues, lateValues]] of pages) {
    const buffers = await database.buffers(text, firstValues);
    const late = lateValues ? await database.buffers(text, lateValues) : buffers;
    measured.set(name, { most, first: buffers, late });
  }
  return measured;
}

describe('an organization with 100,000 people, 10,000 groups and 1,000,000 memberships', () => {
  const large = new LargeOrganization('large', 100_000);
  let ofTenth: Map<string, Buffers>;
  let all: Map<string, Buffers>;

  beforeAll(async () => {
    const query = (sql: string) => database.query(sql);
    // Autovacuum would run between the two measurements or not, and an index-only scan needs fewer buffers after it.
    for (const table of ['person', 'person_group', 'group_member', 'assignment', 'access_request'])
      await query(`ALTER TABLE directory.${table} SET (autovacuum_enabled = false)`);
    await newPerson();
    const tenth = new LargeOrganization('tenth', 10_000);
    await tenth.insert(query);
    ofTenth = await measure(tenth);
    await large.insert(query);
    all = await measure(large);
  }, 300_000);

  const failing = (fails: (buffers: Buffers, name: string) => boolean) =>
    [...all]
      .filter(([name, buffers]) => fails(buffers, name))
      .map(([name, buffers]) => ({ name, ...buffers, ofTenth: ofTenth.get(name) }));

  it('has the rows for which its statements are made', async () => {
    const count = async (table: string) =>
      (await database.query(`SELECT count(*)::int AS n FROM directory.${table} WHERE org = 'large'`))[0]!.n;
    expect(await count('person')).toBe(100_000);
    expect(await count('person_group')).toBe(10_000);
    expect(await count('group_member')).toBeGreaterThanOrEqual(1_000_000);
    expect(await count('assignment')).toBe(100_000);
    expect(await count('access_request')).toBe(20_000);
  });

  it('has no page that touches more buffers than its rows need', () => {
    expect(failing(({ most, first, late }) => Math.max(first, late) > most)).toEqual([]);
  });

  it('lists and checks with as many buffers as a tenth of it', () => {
    const isFlat = (buffers: number, ofTenth: number) => buffers <= ofTenth * 1.5 + 10;
    expect(
      failing(({ first, late }, name) => {
        const small = ofTenth.get(name)!;
        return !isFlat(first, small.first) || !isFlat(late, Math.max(small.first, small.late));
      }),
    ).toEqual([]);
  });

  it('lists a late page as cheaply as the first', () => {
    expect(failing(({ first, late }) => late > first * 1.5 + 5)).toEqual([]);
  });
});
