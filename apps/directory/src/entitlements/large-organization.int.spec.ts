import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Statement } from '@holdfast/data';
import { assignmentPages } from '../assignments/list-assignments.handler.js';
import { personAccessStatement } from '../assignments/person-access.js';
import { database, withDirectory } from '../directory.fixture.js';
import { groupPages } from '../groups/list-groups.handler.js';
import { memberPages } from '../groups/list-members.handler.js';
import { lastId } from '../groups/newest.js';
import { entitlementPage } from './entitlement-pages.js';
import { insertLargeOrganization } from './people.fixture.js';

withDirectory();

const org = 'large';
const now = '2026-11-21T09:30:00.000Z';
const limit = 51;
const id = (kind: string, i: number) =>
  createHash('md5')
    .update(`${org} ${kind} ${i}`)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
const at = (i: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + i * 1000).toISOString();
const first = ['infinity', lastId, lastId];

describe('an organization with 100,000 people, 10,000 groups and 1,000,000 memberships', () => {
  beforeAll(() => insertLargeOrganization(org), 300_000);

  /** From the newest one on, or from the cursor: time, id and person. */
  const entitlements = (filters: { user?: string; app?: string; group?: string }, after = first) => {
    const { user, app, group } = filters;
    const shape = { user: user !== undefined, app: app !== undefined, group: group !== undefined };
    const given = [user, app, group].filter((filter) => filter !== undefined);
    return database.buffers(entitlementPage(shape).text, [org, now, limit, ...after, ...given]);
  };

  it('lists entitlements by index look-ups, a late page as cheaply as the first', async () => {
    const newestFirst = await entitlements({});
    expect(newestFirst).toBeLessThanOrEqual(500);
    for (const i of [50_000, 2000])
      expect(await entitlements({}, [at(i), id('assignment', i), lastId])).toBeLessThanOrEqual(newestFirst * 1.5 + 5);
  });

  it('lists the entitlements of an app, of a group, of a person, and of several of them', async () => {
    const app = `app_${org}_8`;
    const hub = `hub_${org}`;
    const [user, group] = [id('person', 7), id('group', 7)];
    const middle = '20000000-0000-4000-8000-000000000000';
    const measured = {
      app: await entitlements({ app }),
      appLate: await entitlements({ app }, [at(107), id('assignment', 107), lastId]),
      hub: await entitlements({ app: hub }),
      hubLate: await entitlements({ app: hub }, [at(100), id('person', 100), id('person', 100)]),
      group: await entitlements({ group }),
      groupLate: await entitlements({ group }, [at(7), id('group assignment', 7), middle]),
      user: await entitlements({ user }),
      userLate: await entitlements({ user }, [at(7), id('assignment', 7), lastId]),
      userApp: await entitlements({ user, app }),
      userGroup: await entitlements({ user, group }),
      appGroup: await entitlements({ app, group }),
      userAppGroup: await entitlements({ user, app, group }),
    };
    const tooMany = Object.entries(measured).filter(([, buffers]) => buffers > 600);
    expect(tooMany).toEqual([]);
  });

  it('checks at a sign-in whether a person may use an app, by look-ups of their own rows', async () => {
    for (const [person, app] of [
      [id('person', 7), 8],
      [id('person', 10), 99],
      [lastId, 8],
    ] as const)
      expect(
        await database.buffers(personAccessStatement.text, [org, person, `app_${org}_${app}`, now]),
      ).toBeLessThanOrEqual(150);
  });

  it('lists groups, members and assignments, a late page as cheaply as the first', async () => {
    const [group, person, app] = [id('group', 7), id('person', 7), `app_${org}_8`];
    const newestFirst = ['infinity', lastId];
    const late = (i: number) => [at(i), lastId];
    const names = [org, limit, 'group 9', 'group 9\u{10FFFF}'];
    const pages: Record<string, [Statement, unknown[], unknown[]]> = {
      groups: [groupPages.newest, [org, limit, ...newestFirst], [org, limit, ...late(60)]],
      'groups by name': [groupPages.named, [...names, ''], [...names, 'group 98']],
      members: [memberPages.ofGroup, [org, group, limit, ...newestFirst], [org, group, limit, ...late(90)]],
      'groups of a person': [
        memberPages.ofPerson,
        [org, person, limit, ...newestFirst],
        [org, person, limit, ...late(50)],
      ],
      assignments: [assignmentPages.all, [org, app, now, limit, ...newestFirst], [org, app, now, limit, ...late(9000)]],
      'assignments of a person': [
        assignmentPages.user,
        [org, app, now, limit, ...newestFirst, person],
        [org, app, now, limit, ...late(9000), person],
      ],
      'assignments of a group': [
        assignmentPages.group,
        [org, app, now, limit, ...newestFirst, group],
        [org, app, now, limit, ...late(9000), group],
      ],
    };
    for (const [name, [{ text }, first, later]] of Object.entries(pages)) {
      const [early, latest] = [await database.buffers(text, first), await database.buffers(text, later)];
      expect([name, early <= 150, latest <= early * 1.5 + 5]).toEqual([name, true, true]);
    }
  });
});
