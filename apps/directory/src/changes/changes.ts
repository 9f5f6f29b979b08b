import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Action, AuditRecord, AuditTarget, DirectoryEvent, RequestContext } from '@holdfast/contracts';
import { sqlOf } from '@holdfast/data';
import { insertOutboxRows, Outbox, type KeyedRequest } from '@holdfast/outbox';
import { auditRecord, CLOCK, newId, type Clock } from '@holdfast/platform';
import { recordAccessChange } from '../access/access-change.js';
import { Heartbeat } from '../access/heartbeat.js';

/** A change, for its event, its audit record and the revocation feed. */
export interface Change {
  type: DirectoryEvent['type'];
  /** The organization that is changed or owns the app; the record is appended to its log. */
  org: string;
  app?: string;
  /** The version of the app, or of the organization when no app is named. */
  version: number;
  action: Action;
  targets?: AuditTarget[];
  changes?: AuditRecord['changes'] | undefined;
  /** The person whom the reply concerns: their erasure empties the response stored for an Idempotency-Key. */
  dataSubject?: string;
}

/**
 * Commits row, event, audit record and access change together, or none of them. Only the aggregates `Organizations`
 * and `Apps` use it; handlers use the aggregates.
 */
@Injectable()
export class Changes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly heartbeat: Heartbeat,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Resolves when a heartbeat has been started and audit has appended the record, after one second at most. With an
   * Idempotency-Key the reply is stored as its response.
   */
  async commit<Reply>(
    context: RequestContext,
    work: (manager: EntityManager) => Promise<{ change: Change; reply: Reply }>,
    keyed?: KeyedRequest,
  ): Promise<Reply> {
    const { reply, row } = await this.dataSource.transaction(async (manager) => {
      const { change, reply } = await work(manager);
      const row = this.outbox.row(this.event(change, context));
      const sql = sqlOf(manager);
      await insertOutboxRows(sql, [row]);
      const { version, dataSubject } = change;
      await keyed?.store(sql, reply, { event: row.id, version, ...(dataSubject && { subject: dataSubject }) });
      await recordAccessChange(
        sql,
        change.app ? { kind: 'app', id: change.app } : { kind: 'organization', id: change.org },
      );
      return { reply, row };
    });
    this.heartbeat.beatNow();
    await this.outbox.published([row]);
    return reply;
  }

  private event(
    { type, org, app, version, action, targets = [], changes }: Change,
    context: RequestContext,
  ): DirectoryEvent {
    const now = this.clock.now();
    const target: AuditTarget = app ? { type: 'app', id: app } : { type: 'organization', id: org };
    return {
      id: newId(),
      type,
      occurredAt: now.toISOString(),
      org,
      ...(app && { app, data: { app } }),
      version,
      requestId: context.request.id,
      traceparent: context.request.traceparent,
      audit: auditRecord(context, now, {
        action,
        targets: [target, ...targets],
        outcome: { result: 'success' },
        changes,
      }),
    };
  }
}
