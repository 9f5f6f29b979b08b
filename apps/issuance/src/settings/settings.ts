import { Inject, Injectable } from '@nestjs/common';
import type { Action, AuditRecord, AuditTarget, RequestContext, SettingEvent } from '@holdfast/contracts';
import { Database, type Sql } from '@holdfast/data';
import { insertOutboxRows, Outbox } from '@holdfast/outbox';
import { auditRecord, CLOCK, newId, type Clock } from '@holdfast/platform';

/** What a change of a setting says of itself: becomes its event and its audit record. */
export interface SettingChange {
  type: SettingEvent['type'];
  /** Such as `credential_type/customer`; each counts its own versions. */
  setting: string;
  version: number;
  /** Absent where the change follows from another one of the same request: one request, one record (product §7). */
  audited?: { action: Action; targets: AuditTarget[]; changes: NonNullable<AuditRecord['changes']> };
}

/**
 * Every change of an organization's settings goes through here: row, event and audit record commit together or not at
 * all.
 */
@Injectable()
export class Settings {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Runs `work` in a transaction and answers what it answers, once the record has its place. */
  async commit<Reply>(
    context: RequestContext,
    work: (sql: Sql) => Promise<{ changes: SettingChange[]; reply: Reply }>,
  ): Promise<Reply> {
    const { reply, rows } = await this.database.transaction(async (sql) => {
      const { changes, reply } = await work(sql);
      const rows = changes.map((change) => this.outbox.row(this.event(change, context)));
      await insertOutboxRows(sql, rows);
      return { reply, rows };
    });
    await this.outbox.published(rows);
    return reply;
  }

  private event({ type, setting, version, audited }: SettingChange, context: RequestContext): SettingEvent {
    const now = this.clock.now();
    return {
      id: newId(),
      type,
      occurredAt: now.toISOString(),
      org: context.org,
      setting,
      version,
      requestId: context.request.id,
      traceparent: context.request.traceparent,
      ...(audited && { audit: auditRecord(context, now, { ...audited, outcome: { result: 'success' } }) }),
    };
  }
}

/** From and to of each field that differs; a field that is new has no `from`. */
export function differences<Fields extends object>(
  before: Partial<Fields>,
  after: Fields,
): NonNullable<AuditRecord['changes']> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof Fields & string)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const side = (fields: Partial<Fields>, name: keyof Fields, as: 'from' | 'to') =>
    fields[name] === undefined ? {} : { [as]: fields[name] };
  return Object.fromEntries(
    changed.map((name) => [name, { ...side(before, name, 'from'), ...side(after, name, 'to') }]),
  );
}
