import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import type { AuditRecord, Group, groupChangesSchema, newGroupSchema, RequestContext } from '@holdfast/contracts';
import { sqlOf, statement, violatedUnique, type Sql } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import { AppError, newId } from '@holdfast/platform';
import { Changes, type Change, type ChangeEvent } from '../changes/changes.js';
import { groupColumns, groupTarget, toGroup, unknownGroup, type GroupRow } from './group.js';
import { nameKeyOf } from './name-key.js';

type Given = z.output<typeof newGroupSchema>;
type GroupChanges = z.output<typeof groupChangesSchema>;
type StoredGroup = GroupRow & { version: number };

const insert = statement(
  'group_insert',
  `INSERT INTO person_group (id, org, name, name_key, description) VALUES ($1, $2, $3, $4, $5)
   RETURNING ${groupColumns}`,
);
const lock = statement(
  'group_lock',
  `SELECT ${groupColumns}, version FROM person_group WHERE org = $1 AND id = $2 AND deleted_at IS NULL
   FOR UPDATE`,
);
const update = statement(
  'group_update',
  'UPDATE person_group SET name = $3, name_key = $4, description = $5, version = $6 WHERE org = $1 AND id = $2',
);
const endAssignments = statement(
  'group_end_assignments',
  'DELETE FROM assignment WHERE org = $1 AND group_id = $2 RETURNING id, client_id AS app',
);
/** The job of deletions ends the memberships and then deletes the row. */
const remove = statement(
  'group_delete',
  'UPDATE person_group SET deleted_at = clock_timestamp(), version = $3 WHERE org = $1 AND id = $2',
);

/** Groups of people. They can be assigned to apps, and never have a role. */
@Injectable()
export class Groups {
  constructor(private readonly changes: Changes) {}

  /** @throws conflict when the name is taken */
  create({ name, description }: Given, context: RequestContext, keyed?: KeyedRequest): Promise<{ group: Group }> {
    return this.changes.commit(
      context,
      async (manager) => {
        const values = [newId(), context.org, name, nameKeyOf(name), description ?? null];
        const [row] = await uniquely(name, () => sqlOf(manager).rows<GroupRow>(insert, values));
        const group = toGroup(row!);
        const { id } = group;
        return {
          change: {
            org: context.org,
            events: [{ type: 'group.created', group: id, version: 1, data: { group: id } }],
            access: [],
            action: 'group.create',
            targets: [groupTarget(id)],
            changes: { name: { to: name }, ...(description !== undefined && { description: { to: description } }) },
          },
          reply: { group },
        };
      },
      keyed,
    );
  }

  /** @throws unknown_group, conflict when the name is taken */
  update(
    id: string,
    given: GroupChanges,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<{ group: Group; changed: boolean }> {
    const { org } = context;
    return this.changes.commit<{ group: Group; changed: boolean }>(
      context,
      async (manager) => {
        const sql = sqlOf(manager);
        const before = await locked(sql, org, id);
        const { name = before.name, description = before.description } = given;
        const after: StoredGroup = { ...before, name, nameKey: nameKeyOf(name), description };
        const changes = changesOf(before, after);
        if (!changes) return { reply: { group: toGroup(before), changed: false } };
        after.version += 1;
        await uniquely(name, () => sql.rows(update, [org, id, name, after.nameKey, description, after.version]));
        return {
          change: {
            org,
            events: [{ type: 'group.updated', group: id, version: after.version, data: { group: id } }],
            access: [],
            action: 'group.update',
            targets: [groupTarget(id)],
            changes,
          },
          reply: { group: toGroup(after), changed: true },
        };
      },
      keyed,
    );
  }

  /**
   * Ends its assignments, of which there are no more than apps. The memberships, of which there may be any number, do
   * not count from then on; a job ends them, each with its event. @throws unknown_group
   */
  delete(id: string, context: RequestContext, keyed?: KeyedRequest): Promise<Record<string, never>> {
    const { org } = context;
    return this.changes.commit(context, (manager) => this.deleted(id, org, manager), keyed);
  }

  private async deleted(id: string, org: string, manager: EntityManager) {
    const sql = sqlOf(manager);
    const { name, version } = await locked(sql, org, id);
    const ended = await sql.rows<{ id: string; app: string }>(endAssignments, [org, id]);
    const last = version + 1 + ended.length;
    await sql.rows(remove, [org, id, last]);
    const events: ChangeEvent[] = [
      ...ended.map(({ id: assignment, app }, i): ChangeEvent => ({
        type: 'assignment.ended',
        group: id,
        app,
        version: version + 1 + i,
        data: { assignment, group: id, app, cause: 'group_deleted' },
      })),
      { type: 'group.deleted', group: id, version: last, data: { group: id } },
    ];
    const changes = { name: { from: name }, assignments: { from: ended.length } };
    const change: Change = {
      org,
      events: events as [ChangeEvent, ...ChangeEvent[]],
      access: [],
      action: 'group.delete',
      targets: [groupTarget(id)],
      changes,
    };
    return { change, reply: {} };
  }
}

async function locked(sql: Sql, org: string, id: string): Promise<StoredGroup> {
  const [row] = await sql.rows<StoredGroup>(lock, [org, id]);
  if (!row) throw unknownGroup();
  return row;
}

/** The fields that differ, for the audit record; undefined when none does. */
function changesOf(before: GroupRow, after: GroupRow): AuditRecord['changes'] {
  const fields = (['name', 'description'] as const).filter((field) => before[field] !== after[field]);
  if (fields.length === 0) return undefined;
  return Object.fromEntries(
    fields.map((field) => [
      field,
      {
        ...(before[field] !== null && { from: before[field] }),
        ...(after[field] !== null && { to: after[field] }),
      },
    ]),
  );
}

async function uniquely<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violatedUnique(error) !== 'person_group_name') throw error;
    throw new AppError('conflict', `The organization has a group "${name}" already; choose another name.`);
  }
}
