import { lostRights } from '@holdfast/access';
import { RecordOutbox } from '@holdfast/audit-client';
import type { Action, AuditRecord, AuditTarget, DomainEvent, ReceiverScope, RoleOperation } from '@holdfast/contracts';
import { Database, statement, type Sql } from '@holdfast/data';
import { systemContext } from '@holdfast/messaging';
import { auditRecord, newId, type Clock } from '@holdfast/platform';

/** Something that sends by itself, for as long as its maker may do so. */
export interface SendingTable {
  /** The table, with columns `id`, `org`, `paused`, `paused_because`, `version`, `retry_at` and those of the maker. */
  name: string;
  /** What else a pause sets, as SQL. */
  alsoSets?: string;
  /** Which rows `d` a maker `m` is responsible for, as SQL; by default those whose maker it is. */
  isOf?: string;
  /** What a maker needs. */
  operation: RoleOperation | ReceiverScope;
  action: Action;
  target: (id: string) => AuditTarget;
}

/** Pauses what makers have prepared that have lost the right to it (product §4), each with a record. */
export class MakerPauses {
  private readonly pauseOfMakers;
  private readonly pauseOfOne;
  private readonly forget;

  constructor(
    private readonly table: SendingTable,
    private readonly database: Database,
    private readonly records: RecordOutbox,
    private readonly clock: Clock,
  ) {
    const operation = table.operation.replace(/\\W/g, '_');
    const { name, alsoSets = '', isOf = 'd.maker_type = m.type AND d.maker_id = m.id' } = table;
    const pauses = `paused = true, paused_because = 'maker', version = version + 1, retry_at = NULL${alsoSets}`;
    // Also one that somebody has paused, so that only somebody with the right resumes it as its new maker.
    this.pauseOfMakers = statement(
      `${name}_pause_of_makers_${operation}`,
      `UPDATE ${name} d SET ${pauses} FROM unnest($1::text[], $2::text[], $3::text[]) AS m(org, type, id)
        WHERE d.org = m.org AND ${isOf}
          AND d.paused_because IS DISTINCT FROM 'maker'
       RETURNING d.id, d.org`,
    );
    this.pauseOfOne = statement(
      `${name}_pause_of_maker_${operation}`,
      `UPDATE ${name} d SET ${pauses} WHERE id = $1 AND version = $2 RETURNING d.id, d.org`,
    );
    this.forget = statement(
      `${name}_forget_maker_${operation}`,
      `UPDATE ${name} d SET maker_id = NULL, maker_name = NULL FROM unnest($1::text[], $2::text[]) AS m(org, id)
        WHERE d.org = m.org AND d.maker_type = 'person' AND d.maker_id = m.id`,
    );
  }

  async apply(events: readonly DomainEvent[]): Promise<void> {
    const { operation } = this.table;
    const lost = events
      .flatMap((event) => lostRights(event) ?? [])
      .filter((left) => !left.operations.includes(operation));
    if (lost.length === 0) return;
    const values = [lost.map(({ org }) => org), lost.map(({ type }) => type), lost.map(({ id }) => id)];
    await this.pause((sql) => sql.rows(this.pauseOfMakers, values));
    const removed = lost.filter((maker) => maker.removed);
    if (removed.length > 0)
      await this.database.rows(this.forget, [removed.map(({ org }) => org), removed.map(({ id }) => id)]);
  }

  /** A sender has learned that the maker of a row, as it is in this version, has lost the right. */
  pauseOne(id: string, version: number): Promise<void> {
    return this.pause((sql) => sql.rows(this.pauseOfOne, [id, version]));
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
      action: this.table.action,
      targets: [this.table.target(id)],
      outcome: { result: 'success' },
      changes: { paused: { to: true }, pausedBecause: { to: 'maker' } },
    });
  }
}
