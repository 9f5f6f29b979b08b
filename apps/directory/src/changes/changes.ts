import { Inject, Injectable } from '@nestjs/common';
import type { Action, App, AuditRecord, AuditTarget, DirectoryEvent, RequestContext } from '@holdfast/contracts';
import { Database, type Sql } from '@holdfast/data';
import { insertOutboxRows, Outbox } from '@holdfast/outbox';
import { auditRecord, CLOCK, newId, type Clock } from '@holdfast/platform';
import { recordAccessChange } from '../access/access-change.js';
import { Heartbeat } from '../access/heartbeat.js';

/** What a change says of itself: becomes its event, its audit record and its place in the access feed. */
export interface Change {
  type: DirectoryEvent['type'];
  /** The organization acted on: the record goes into its log. */
  org: string;
  app?: string;
  /** Of the app, or of the organization when no app is named. */
  version: number;
  action: Action;
  targets?: AuditTarget[];
  changes?: AuditRecord['changes'] | undefined;
}

/** What a change of an app says of itself, as the app is after it. */
export function appUpdated(
  { org, clientId, version }: App,
  action: Action,
  more: Pick<Change, 'targets' | 'changes'>,
): Change {
  return { type: 'app.updated', org, app: clientId, version, action, ...more };
}

/** Every change of the directory goes through here: row, event, audit record and feed commit together or not at all. */
@Injectable()
export class Changes {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly heartbeat: Heartbeat,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Runs `work` in a transaction and answers what it answers, once gateways were told and the record has its place. */
  async commit<Reply>(
    context: RequestContext,
    work: (sql: Sql) => Promise<{ change: Change; reply: Reply }>,
  ): Promise<Reply> {
    const { reply, row } = await this.database.transaction(async (sql) => {
      const { change, reply } = await work(sql);
      const row = this.outbox.row(this.event(change, context));
      await insertOutboxRows(sql, [row]);
      await recordAccessChange(
        sql,
        change.app ? { kind: 'app', id: change.app } : { kind: 'organization', id: change.org },
      );
      return { reply, row };
    });
    void this.heartbeat.beat();
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
