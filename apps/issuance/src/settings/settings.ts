import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Action, AuditRecord, AuditTarget, RequestContext, SettingEvent } from '@holdfast/contracts';
import { sqlOf } from '@holdfast/data';
import { insertOutboxRows, Outbox } from '@holdfast/outbox';
import { auditRecord, CLOCK, newId, type Clock } from '@holdfast/platform';

/** A changed setting, for its event and its audit record. */
export interface SettingChange {
  type: SettingEvent['type'];
  /** Such as `credential_type/customer`; each counts its own versions. */
  setting: string;
  version: number;
  /** Absent when the change follows from another one of the same request: one request has one record (product §7). */
  audited?: { action: Action; targets: AuditTarget[]; changes: NonNullable<AuditRecord['changes']> };
}

/** Commits entity, event and audit record of a changed setting together, or none of them. */
@Injectable()
export class Settings {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Resolves when audit has appended the record, after one second at most. */
  async commit<Reply>(
    context: RequestContext,
    work: (manager: EntityManager) => Promise<{ changes: SettingChange[]; reply: Reply }>,
  ): Promise<Reply> {
    const { reply, rows } = await this.dataSource.transaction(async (manager) => {
      const { changes, reply } = await work(manager);
      const rows = changes.map((change) => this.outbox.row(this.event(change, context)));
      await insertOutboxRows(sqlOf(manager), rows);
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
