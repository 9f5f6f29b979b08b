import { Injectable } from '@nestjs/common';
import { maxGroupsPerPerson, type RequestContext } from '@holdfast/contracts';
import { sqlOf, statement, type Sql, type Statement } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import { unprocessable } from '@holdfast/platform';
import { Changes, type Change, type ChangeEvent } from '../changes/changes.js';
import { groupTarget, personTarget, unknownGroup } from './group.js';
import { lockPeople } from './locked-people.js';

const find = statement('group_find', 'SELECT id FROM person_group WHERE org = $1 AND id = $2 AND deleted_at IS NULL');
/** A group that is being deleted is awaited, and then gone. */
const hold = statement('group_hold', `${find.text} FOR KEY SHARE`);
/** People who are in as many groups as anybody may be, and not in this one. */
const full = statement(
  'group_members_full',
  `SELECT p.id FROM unnest($3::uuid[]) AS p (id)
   WHERE EXISTS (SELECT 1 FROM group_member m WHERE m.org = $1 AND m.person_id = p.id OFFSET ${maxGroupsPerPerson - 1})
     AND NOT EXISTS (SELECT 1 FROM group_member m WHERE m.org = $1 AND m.group_id = $2 AND m.person_id = p.id)`,
);
const versions = `UPDATE person p SET version = p.version + 1 FROM changed c WHERE p.org = $1 AND p.id = c.person_id
   RETURNING p.id, p.version`;
const add = statement(
  'group_members_add',
  `WITH changed AS (
     INSERT INTO group_member (org, group_id, person_id) SELECT $1, $2, id FROM unnest($3::uuid[]) AS p (id)
     ON CONFLICT DO NOTHING RETURNING person_id)
   ${versions}`,
);
const remove = statement(
  'group_members_remove',
  `WITH changed AS (
     DELETE FROM group_member m USING unnest($3::uuid[]) AS p (id)
     WHERE m.org = $1 AND m.group_id = $2 AND m.person_id = p.id RETURNING m.person_id)
   ${versions}`,
);

interface Kind {
  statement: Statement;
  event: 'group.member_added' | 'group.member_removed';
  action: 'group.member.add' | 'group.member.remove';
  field: 'added' | 'removed';
}
const adding: Kind = { statement: add, event: 'group.member_added', action: 'group.member.add', field: 'added' };
const removing: Kind = {
  statement: remove,
  event: 'group.member_removed',
  action: 'group.member.remove',
  field: 'removed',
};

/** One request: the people and the group. */
interface MembersRequest {
  group: string;
  users: string[];
}

/** The members of groups. A request changes all of its people or none, and has one record that names all of them. */
@Injectable()
export class Members {
  constructor(private readonly changes: Changes) {}

  /** @throws unknown_group, invalid_request for people who do not exist or have no room for a further group */
  add(request: MembersRequest, context: RequestContext, keyed?: KeyedRequest): Promise<{ changed: number }> {
    return this.change(adding, request, context, keyed);
  }

  /** @throws unknown_group, invalid_request for people who do not exist */
  remove(request: MembersRequest, context: RequestContext, keyed?: KeyedRequest): Promise<{ changed: number }> {
    return this.change(removing, request, context, keyed);
  }

  private change(
    kind: Kind,
    { group, users }: MembersRequest,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<{ changed: number }> {
    const { org } = context;
    return this.changes.commit(
      context,
      async (manager) => {
        const sql = sqlOf(manager);
        await requireGroup(sql, find, org, group);
        const people = await lockPeople(sql, org, users);
        requireAll(users, (id) => people.has(id), 'is no person of the organization');
        // The lock of the group follows those of people: everybody takes them in this order.
        await requireGroup(sql, hold, org, group);
        const ids = [...people.keys()];
        if (kind === adding) await requireRoom(sql, org, group, ids, users);
        return store(kind, sql, { org, group }, ids);
      },
      keyed,
    );
  }
}

/** Ends memberships of a deleted group. The people are locked. Undefined when none of them is a member. */
export async function endMemberships(
  sql: Sql,
  of: { org: string; group: string },
  people: readonly string[],
): Promise<Change | undefined> {
  return (await store(removing, sql, of, people)).change;
}

async function store(
  kind: Kind,
  sql: Sql,
  { org, group }: { org: string; group: string },
  people: readonly string[],
): Promise<{ change?: Change; reply: { changed: number } }> {
  const changed = await sql.rows<{ id: string; version: number }>(kind.statement, [org, group, people]);
  const reply = { changed: changed.length };
  return changed.length === 0 ? { reply } : { change: changeOf(kind, org, group, changed), reply };
}

function changeOf(
  { event, action, field }: Kind,
  org: string,
  group: string,
  changed: { id: string; version: number }[],
): Change {
  const events = changed.map(({ id, version }): ChangeEvent => ({
    type: event,
    user: id,
    version,
    data: { user: id, group },
  }));
  return {
    org,
    events: events as [ChangeEvent, ...ChangeEvent[]],
    access: [],
    action,
    targets: [groupTarget(group), ...changed.map(({ id }) => personTarget(id))],
    changes: { [field]: { to: changed.length } },
  };
}

async function requireGroup(sql: Sql, statement: Statement, org: string, group: string): Promise<void> {
  if ((await sql.rows(statement, [org, group])).length === 0) throw unknownGroup();
}

async function requireRoom(sql: Sql, org: string, group: string, ids: string[], users: string[]): Promise<void> {
  const rows = await sql.rows<{ id: string }>(full, [org, group, ids]);
  const withoutRoom = new Set(rows.map(({ id }) => id));
  requireAll(users, (id) => !withoutRoom.has(id), `is in ${maxGroupsPerPerson} groups, as many as anybody may be`);
}

/** @throws invalid_request that names everybody who fails, by place in the request */
function requireAll(users: string[], holds: (id: string) => boolean, detail: string): void {
  const issues = users.flatMap((id, i) => (holds(id) ? [] : [{ pointer: `#/users/${i}`, detail }]));
  if (issues.length > 0) throw unprocessable(issues);
}
