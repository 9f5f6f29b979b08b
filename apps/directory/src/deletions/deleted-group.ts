import { statement, type Sql } from '@holdfast/data';
import { systemContext } from '@holdfast/messaging';
import { lockPeople } from '../groups/locked-people.js';
import { endMemberships } from '../groups/members.js';
import { batchSize, type Batch } from './batch.js';

export interface DeletedGroup {
  org: string;
  group: string;
}

const next = statement(
  'deleted_group_next',
  'SELECT org, id AS "group" FROM person_group WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1',
);
const membersOf = statement(
  'deleted_group_members',
  `SELECT person_id AS person FROM group_member WHERE org = $1 AND group_id = $2 ORDER BY person_id LIMIT ${batchSize}`,
);
const finish = statement('deleted_group_finish', 'DELETE FROM person_group WHERE org = $1 AND id = $2');

/** The group that was deleted first, of those whose row is left. */
export async function nextDeletedGroup(sql: Sql): Promise<DeletedGroup | undefined> {
  return (await sql.rows<DeletedGroup>(next, []))[0];
}

/** Ends some memberships, with one record. Undefined when none is left: then it deletes the row. */
export async function endSomeMemberships(sql: Sql, deleted: DeletedGroup): Promise<Batch | undefined> {
  const { org, group } = deleted;
  const members = await sql.rows<{ person: string }>(membersOf, [org, group]);
  if (members.length === 0) {
    await sql.rows(finish, [org, group]);
    return undefined;
  }
  const people = await lockPeople(
    sql,
    org,
    members.map(({ person }) => person),
  );
  const change = await endMemberships(sql, deleted, [...people.keys()]);
  return change ? [{ change, context: systemContext('directory') }] : [];
}
