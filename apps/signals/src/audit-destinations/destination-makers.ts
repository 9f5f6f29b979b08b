import { Inject, Injectable } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import {
  operationsOf,
  type AuditRecord,
  type DirectoryEvent,
  type DomainEvent,
  type EventData,
} from '@holdfast/contracts';
import { Database, statement, type Sql } from '@holdfast/data';
import { systemContext } from '@holdfast/messaging';
import { auditRecord, CLOCK, newId, type Clock } from '@holdfast/platform';
import { destinationTarget } from './destination.js';

/** What a maker of a destination needs, for as long as it is sent to. */
export const operationOfMakers = 'audit:export';

interface Lost {
  org: string;
  type: 'app' | 'person';
  id: string;
  /** The person was removed: no row names them any more. */
  removed: boolean;
}

/** Also one that somebody has paused, so that only somebody with the right resumes it as its new maker. */
const pause = statement(
  'audit_destination_pause_of_makers',
  `UPDATE audit_destination d SET paused = true, paused_because = 'maker', version = version + 1, retry_at = NULL
     FROM unnest($1::text[], $2::text[], $3::text[]) AS m(org, type, id)
    WHERE d.org = m.org AND d.maker_type = m.type AND d.maker_id = m.id AND d.paused_because IS DISTINCT FROM 'maker'
   RETURNING d.id, d.org`,
);
const pauseOne = statement(
  'audit_destination_pause_of_maker',
  `UPDATE audit_destination SET paused = true, paused_because = 'maker', version = version + 1, retry_at = NULL
    WHERE id = $1 AND version = $2 RETURNING id, org`,
);
const forget = statement(
  'audit_destination_forget_maker',
  `UPDATE audit_destination d SET maker_id = NULL, maker_name = NULL
     FROM unnest($1::text[], $2::text[]) AS m(org, id)
    WHERE d.org = m.org AND d.maker_type = 'person' AND d.maker_id = m.id`,
);

/** Pauses the destinations of makers that may not export the log any more (product §4), each with a record. */
@Injectable()
export class DestinationMakers {
  constructor(
    private readonly database: Database,
    private readonly records: RecordOutbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async apply(events: readonly DomainEvent[]): Promise<void> {
    const lost = events.flatMap(lostBy);
    if (lost.length === 0) return;
    const values = [lost.map(({ org }) => org), lost.map(({ type }) => type), lost.map(({ id }) => id)];
    await this.pause((sql) => sql.rows(pause, values));
    const removed = lost.filter((maker) => maker.removed);
    if (removed.length > 0)
      await this.database.rows(forget, [removed.map(({ org }) => org), removed.map(({ id }) => id)]);
  }

  /** The sender has learned that the maker of a destination, as it is in this version, has lost the right. */
  pauseOne(id: string, version: number): Promise<void> {
    return this.pause((sql) => sql.rows(pauseOne, [id, version]));
  }

  private async pause(change: (sql: Sql) => Promise<{ id: string; org: string }[]>): Promise<void> {
    const written = await this.database.transaction(async (sql) => {
      const paused = await change(sql);
      const records = paused.map(({ id, org }) => ({ org, record: this.record(id) }));
      for (const { org, record } of records) await this.records.add(sql, org, record);
      return records;
    });
    await Promise.all(written.map(({ org, record }) => this.records.append(org, record)));
  }

  private record(id: string): AuditRecord {
    return auditRecord({ ...systemContext('signals'), auditId: newId() }, this.clock.now(), {
      action: 'audit_destination.pause',
      targets: [destinationTarget(id)],
      outcome: { result: 'success' },
      changes: { paused: { to: true }, pausedBecause: { to: 'maker' } },
    });
  }
}

/** Who may not export the log any more, by an event of directory. */
function lostBy(event: DomainEvent): Lost[] {
  const { org, type } = event;
  const { app, operations, user, data } = event as DirectoryEvent;
  if ((type === 'app.updated' || type === 'app.deleted') && app !== undefined)
    return operations && !operations.includes(operationOfMakers) ? [{ org, type: 'app', id: app, removed: false }] : [];
  if (user === undefined) return [];
  const removed = type === 'user.erasure_started' || type === 'user.removed';
  if (removed || type === 'user.deactivated') return [{ org, type: 'person', id: user, removed }];
  if (type !== 'role.changed') return [];
  const { roles } = data as EventData<'role.changed'>;
  return operationsOf(roles).includes(operationOfMakers) ? [] : [{ org, type: 'person', id: user, removed: false }];
}
