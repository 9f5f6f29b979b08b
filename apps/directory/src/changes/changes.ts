import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  type Action,
  type AuditRecord,
  type AuditTarget,
  type DirectoryEvent,
  type RequestContext,
} from '@holdfast/contracts';
import { sqlOf, type Sql } from '@holdfast/data';
import { Shards } from '@holdfast/messaging';
import { insertOutboxRows, Outbox, type KeyedRequest, type OutboxRow } from '@holdfast/outbox';
import { auditRecord, CLOCK, newId, type Clock } from '@holdfast/platform';
import { recordAccessChanges, type AccessSubject } from '../access/access-change.js';
import { Heartbeat } from '../access/heartbeat.js';
import { lanesOf } from '../shards/lanes.js';

/** An event of a change: its type, what it is about, and the version of that (`aggregateOf`). */
export type ChangeEvent = Pick<DirectoryEvent, 'type' | 'user' | 'group' | 'app' | 'operations' | 'version' | 'data'>;

/** What a change has done, for its events, its one audit record and the revocation feed. */
export interface Change {
  /** The organization that is changed or owns what is changed; the record is appended to its log. */
  org: string;
  /** In their order. The last one carries the audit record. */
  events: readonly [ChangeEvent, ...ChangeEvent[]];
  /** Apps, organizations and people whose rights may have changed. */
  access: readonly AccessSubject[];
  action: Action;
  targets: AuditTarget[];
  changes?: AuditRecord['changes'] | undefined;
}

/**
 * Commits rows, events, audit record and access changes together, or none of them. Only aggregates such as
 * `Organizations` and `Apps` use it; handlers use the aggregates.
 */
@Injectable()
export class Changes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly heartbeat: Heartbeat,
    private readonly shards: Shards,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * `work` returns no change when there was nothing to do: then no event and no record are written here, and the
   * gateway writes the record. With an Idempotency-Key the reply is stored as its response. Resolves when a heartbeat
   * has been started and audit has appended the record, after one second at most.
   */
  async commit<Reply>(
    context: RequestContext,
    work: (manager: EntityManager) => Promise<{ change?: Change | undefined; reply: Reply }>,
    keyed?: KeyedRequest,
  ): Promise<Reply> {
    const { reply, rows } = await this.dataSource.transaction(async (manager) => {
      const { change, reply } = await work(manager);
      if (!change) return { reply, rows: [] };
      const sql = sqlOf(manager);
      const rows = await this.rows(sql, [{ change, context }]);
      await insertOutboxRows(sql, rows);
      const { type, user, version } = change.events.at(-1)!;
      // The erasure of a person empties the stored responses that concern them. Its own one names nobody.
      const subject = type === 'user.erasure_started' ? undefined : user;
      await keyed?.store(sql, reply, { event: rows.at(-1)!.id, version, ...(subject !== undefined && { subject }) });
      await recordAccessChanges(sql, change.access);
      return { reply, rows };
    });
    if (rows.length === 0) return reply;
    this.heartbeat.beatNow();
    await this.outbox.published(rows);
    return reply;
  }

  /**
   * The same for a periodic job: several changes, each with a context and a record of its own, in one transaction.
   * Resolves to their number.
   */
  async commitAll(
    work: (sql: Sql) => Promise<readonly { change: Change; context: RequestContext }[]>,
  ): Promise<number> {
    const { count, rows } = await this.dataSource.transaction(async (manager) => {
      const sql = sqlOf(manager);
      const changes = await work(sql);
      const rows = await this.rows(sql, changes);
      if (rows.length > 0) await insertOutboxRows(sql, rows);
      await recordAccessChanges(
        sql,
        changes.flatMap(({ change }) => change.access),
      );
      return { count: changes.length, rows };
    });
    if (rows.length > 0) await this.outbox.published(rows);
    return count;
  }

  /** With several shards, each event goes over the bus of its organization's shard. */
  private async rows(sql: Sql, changes: readonly { change: Change; context: RequestContext }[]): Promise<OutboxRow[]> {
    // In the transaction, since it may create the organization.
    const lanes = this.shards.several
      ? await lanesOf(sql, [...new Set(changes.map(({ change }) => change.org))])
      : undefined;
    return changes.flatMap(({ change, context }) =>
      this.events(change, context).map((event) => this.outbox.row(event, lanes?.get(change.org))),
    );
  }

  private events({ org, events, action, targets, changes }: Change, context: RequestContext): DirectoryEvent[] {
    const now = this.clock.now();
    const audit = auditRecord(context, now, { action, targets, outcome: { result: 'success' }, changes });
    return events.map((event, i) => ({
      ...event,
      id: newId(),
      occurredAt: now.toISOString(),
      org,
      requestId: context.request.id,
      traceparent: context.request.traceparent,
      ...(i === events.length - 1 && { audit }),
    }));
  }
}
