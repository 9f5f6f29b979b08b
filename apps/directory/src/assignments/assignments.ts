import { Inject, Injectable } from '@nestjs/common';
import { makerOf, type Assignee, type Assignment, type Maker, type RequestContext } from '@holdfast/contracts';
import { namedStatement, rowOf, sqlOf, statement, type Sql } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import { AppError, CLOCK, newId, unprocessable, type Clock } from '@holdfast/platform';
import { Changes } from '../changes/changes.js';
import { personOfMaker } from '../people/person-of-maker.js';
import {
  assignmentColumns,
  assignmentTargets,
  createdEvent,
  endedChange,
  toAssignment,
  type AssignmentRow,
} from './assignment.js';

const findApp = statement(
  'assignment_app_find',
  'SELECT audience, built_in AS "builtIn" FROM app WHERE org = $1 AND client_id = $2 AND deleted_at IS NULL',
);
/** A concurrent deletion of the app waits, and ends the new assignment too; or it was first, and finds no app here. */
const lockApp = statement('assignment_app_lock', `${findApp.text} FOR KEY SHARE`);
const bumpPerson = statement(
  'assignment_person_version',
  'UPDATE person SET version = version + 1 WHERE org = $1 AND id = $2 RETURNING version',
);
const bumpGroup = statement(
  'assignment_group_version',
  `UPDATE person_group SET version = version + 1 WHERE org = $1 AND id = $2 AND deleted_at IS NULL
   RETURNING version`,
);
const insert = namedStatement(
  'assignment_insert',
  {
    id: 'uuid',
    org: 'text',
    client_id: 'text',
    person_id: 'uuid',
    group_id: 'uuid',
    access_request_id: 'uuid',
    created_at: 'timestamptz',
    expires_at: 'timestamptz',
    created_by_type: 'text',
    created_by_app: 'text',
    created_by_person: 'uuid',
  },
  (row) => `INSERT INTO assignment ${rowOf(row)} ON CONFLICT DO NOTHING RETURNING ${assignmentColumns}`,
);
const live = 'org = $1 AND client_id = $2 AND id = $3 AND (expires_at IS NULL OR expires_at > $4)';
const find = statement('assignment_find', `SELECT ${assignmentColumns} FROM assignment WHERE ${live}`);
const end = statement('assignment_end', `DELETE FROM assignment WHERE ${live} RETURNING ${assignmentColumns}`);

/** Assignments of people and groups to apps: who may sign in to an app of audience `people`. */
@Injectable()
export class Assignments {
  constructor(
    private readonly changes: Changes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * A deactivated person and a disabled app can be assigned: it has an effect once they are active and enabled.
   * @throws unknown_app, invalid_request, conflict when it is assigned already
   */
  assign(
    clientId: string,
    assignee: Assignee,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<{ assignment: Assignment }> {
    const { org } = context;
    return this.changes.commit(
      context,
      async (manager) => {
        const sql = sqlOf(manager);
        await requireAssignable(sql, org, clientId);
        const version = await nextVersion(sql, org, assignee);
        if (version === undefined) throw unknownAssignee(assignee);
        const given = { app: clientId, ...assignee, createdAt: this.clock.now() };
        const row = await insertAssignment(sql, org, given, makerOf(context.actor));
        if (!row) throw new AppError('conflict', 'The person or group is assigned to the app already.');
        return {
          change: {
            org,
            events: [createdEvent(row, version)],
            access: [],
            action: 'assignment.create',
            targets: assignmentTargets(row),
          },
          reply: { assignment: toAssignment(row) },
        };
      },
      keyed,
    );
  }

  /** @throws unknown_app, unknown_assignment */
  unassign(
    clientId: string,
    assignment: string,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<Record<string, never>> {
    const { org } = context;
    return this.changes.commit(
      context,
      async (manager) => {
        const sql = sqlOf(manager);
        await requireApp(sql, org, clientId);
        const values = [org, clientId, assignment, this.clock.now()];
        const [found] = await sql.rows<AssignmentRow>(find, values);
        if (!found) throw new AppError('unknown_assignment');
        const { user, group } = found;
        // Locks the person or group before the assignment, as every other change does.
        const version = await nextVersion(sql, org, {
          ...(user !== null && { user }),
          ...(group !== null && { group }),
        });
        const [row] = await sql.rows<AssignmentRow>(end, values);
        if (!row || version === undefined) throw new AppError('unknown_assignment');
        return { change: endedChange(context, row, version, 'removed'), reply: {} };
      },
      keyed,
    );
  }
}

/** @throws unknown_app */
export async function requireApp(sql: Sql, org: string, clientId: string, select = findApp) {
  const [app] = await sql.rows<{ audience: string; builtIn: boolean }>(select, [org, clientId]);
  if (!app) throw new AppError('unknown_app');
  return app;
}

/** @throws unknown_app, invalid_request for an app to which nobody can be assigned */
async function requireAssignable(sql: Sql, org: string, clientId: string): Promise<void> {
  const { audience, builtIn } = await requireApp(sql, org, clientId, lockApp);
  if (audience !== 'people')
    throw unprocessable([
      { parameter: 'clientId', detail: 'must be an app of audience people: no person signs in to another' },
    ]);
  if (builtIn)
    throw unprocessable([
      { parameter: 'clientId', detail: "must not be the organization's hub, which every active person can use" },
    ]);
}

/** Locks the person or group and increments its version; undefined when it does not exist. */
async function nextVersion(sql: Sql, org: string, { user, group }: Assignee): Promise<number | undefined> {
  const [row] = await sql.rows<{ version: number }>(user === undefined ? bumpGroup : bumpPerson, [org, user ?? group]);
  return row?.version;
}

/** Undefined when the person or group is assigned already. The caller has locked it. */
export async function insertAssignment(
  sql: Sql,
  org: string,
  given: Assignee & { app: string; createdAt: Date; accessRequest?: string; expiresAt?: Date },
  made: Maker,
): Promise<AssignmentRow | undefined> {
  const values = insert.values({
    id: newId(),
    org,
    client_id: given.app,
    person_id: given.user,
    group_id: given.group,
    access_request_id: given.accessRequest,
    created_at: given.createdAt,
    expires_at: given.expiresAt,
    created_by_type: made.type,
    created_by_app: made.type === 'app' ? made.id : null,
    created_by_person: await personOfMaker(sql, made),
  });
  return (await sql.rows<AssignmentRow>(insert, values))[0];
}

function unknownAssignee({ user }: Assignee): AppError {
  return unprocessable([
    user === undefined
      ? { pointer: '#/group', detail: 'is no group of the organization' }
      : { pointer: '#/user', detail: 'is no person of the organization' },
  ]);
}
