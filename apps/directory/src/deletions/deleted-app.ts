import { statement, type Sql } from '@holdfast/data';
import { systemContext } from '@holdfast/messaging';
import { closedChange, type ClosedRequest } from '../access-requests/access-request.js';
import { assignmentColumns, endedChange, type AssignmentRow } from '../assignments/assignment.js';
import type { Change } from '../changes/changes.js';
import { withVersions } from '../changes/versions.js';
import { lockGroups, lockPeople } from '../groups/locked-people.js';
import { batchSize, type Batch } from './batch.js';

export interface DeletedApp {
  org: string;
  app: string;
}

const next = statement(
  'deleted_app_next',
  'SELECT org, client_id AS app FROM app WHERE ending ORDER BY deleted_at LIMIT 1',
);
const assignmentsOf = statement(
  'deleted_app_assignments',
  `SELECT id, person_id AS "user", group_id AS "group" FROM assignment WHERE org = $1 AND client_id = $2
   ORDER BY created_at DESC, id DESC LIMIT ${batchSize}`,
);
const endAssignments = statement(
  'deleted_app_end_assignments',
  `DELETE FROM assignment USING unnest($1::uuid[]) AS found (assignment) WHERE id = found.assignment
   RETURNING ${assignmentColumns}`,
);
const requestsOf = statement(
  'deleted_app_requests',
  `SELECT id, person_id AS person FROM access_request WHERE org = $1 AND client_id = $2 AND status = 'pending'
   LIMIT ${batchSize}`,
);
const cancelRequests = statement(
  'deleted_app_cancel_requests',
  `UPDATE access_request SET status = 'cancelled', decided_at = $2 FROM unnest($1::uuid[]) AS found (request)
   WHERE id = found.request AND status = 'pending' RETURNING id, org, person_id AS person, client_id AS app`,
);
const finish = statement('deleted_app_finish', 'UPDATE app SET ending = false WHERE client_id = $1');

/** The app that was deleted first, of those that have assignments or pending access requests left. */
export async function nextDeletedApp(sql: Sql): Promise<DeletedApp | undefined> {
  return (await sql.rows<DeletedApp>(next, []))[0];
}

/** Ends some assignments, or cancels some pending requests. Undefined when nothing is left, which it stores. */
export async function endSomeOf(sql: Sql, { org, app }: DeletedApp, now: Date): Promise<Batch | undefined> {
  const found = await sql.rows<Pick<AssignmentRow, 'id' | 'user' | 'group'>>(assignmentsOf, [org, app]);
  if (found.length > 0) return ended(sql, org, found);
  const requests = await sql.rows<Pick<ClosedRequest, 'id' | 'person'>>(requestsOf, [org, app]);
  if (requests.length > 0) return cancelled(sql, org, requests, now);
  await sql.rows(finish, [app]);
  return undefined;
}

/** Locks people and then groups before their assignments, as every other change does. */
async function ended(
  sql: Sql,
  org: string,
  found: readonly Pick<AssignmentRow, 'id' | 'user' | 'group'>[],
): Promise<Batch> {
  const idsOf = (member: 'user' | 'group') => found.flatMap((row) => row[member] ?? []);
  await lockPeople(sql, org, idsOf('user'));
  await lockGroups(sql, org, idsOf('group'));
  const rows = await sql.rows<AssignmentRow>(endAssignments, [found.map(({ id }) => id)]);
  const versioned = [
    ...(await withVersions(
      sql,
      'person',
      rows.filter(({ user }) => user !== null),
      ({ user }) => user!,
    )),
    ...(await withVersions(
      sql,
      'group',
      rows.filter(({ group }) => group !== null),
      ({ group }) => group!,
    )),
  ];
  return batchOf(versioned.map(({ row, version }) => endedChange({ org }, row, version, 'app_deleted')));
}

async function cancelled(
  sql: Sql,
  org: string,
  found: readonly Pick<ClosedRequest, 'id' | 'person'>[],
  now: Date,
): Promise<Batch> {
  await lockPeople(
    sql,
    org,
    found.map(({ person }) => person),
  );
  const rows = await sql.rows<ClosedRequest>(cancelRequests, [found.map(({ id }) => id), now]);
  const versioned = await withVersions(sql, 'person', rows, ({ person }) => person);
  return batchOf(versioned.map(({ row, version }) => closedChange('cancelled', row, version)));
}

function batchOf(changes: readonly Change[]): Batch {
  return changes.map((change) => ({ change, context: systemContext('directory') }));
}
