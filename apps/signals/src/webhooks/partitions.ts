import { Inject, Injectable } from '@nestjs/common';
import { Database, isNotFenced, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG, Interval } from '@holdfast/service';
import type { SignalsConfig } from '../config.js';
import { oldestReadySeconds, pendingMessages } from './metrics.js';

/** Messages of deleted endpoints that one statement deletes. */
const orphansOfOneRun = 2000;

const make = statement('webhook_partitions_make', 'SELECT make_webhook_partitions($1, $2)');
const drop = statement('webhook_partitions_drop', 'SELECT drop_webhook_partitions($1, $2) AS dropped');
/** The endpoints of messages are found by index look-ups from one to the next. */
const removeOrphans = statement(
  'webhook_delivery_remove_orphans',
  `WITH RECURSIVE known AS (
     (SELECT endpoint FROM webhook_delivery ORDER BY endpoint LIMIT 1)
     UNION ALL
     SELECT (SELECT endpoint FROM webhook_delivery WHERE endpoint > k.endpoint ORDER BY endpoint LIMIT 1)
       FROM known k WHERE k.endpoint IS NOT NULL
   ), orphan AS (
     SELECT d.endpoint, d.seq, d.created_at FROM known k
       CROSS JOIN LATERAL (SELECT endpoint, seq, created_at, org FROM webhook_delivery
                            WHERE endpoint = k.endpoint LIMIT ${orphansOfOneRun}) d
      WHERE NOT EXISTS (SELECT FROM webhook_endpoint w WHERE w.id = k.endpoint) AND ${isNotFenced('d.org')}
      LIMIT ${orphansOfOneRun}
   )
   DELETE FROM webhook_delivery d USING orphan o
    WHERE d.endpoint = o.endpoint AND d.seq = o.seq AND d.created_at = o.created_at RETURNING 1`,
);
const backlog = statement(
  'webhook_backlog',
  `SELECT count(*) FILTER (WHERE w.failures = 0)::int AS ready,
     count(*) FILTER (WHERE w.failures > 0)::int AS failing,
     coalesce(extract(epoch FROM $1::timestamptz - min(d.due_at) FILTER (WHERE w.failures = 0 AND NOT d.leased)),
       0)::float AS oldest
     FROM webhook_delivery d JOIN webhook_endpoint w ON w.id = d.endpoint
     LEFT JOIN audit_suspension s ON s.org = w.org
    WHERE d.status = 'pending' AND NOT w.paused AND w.disabled_at IS NULL AND w.rate_limit IS NULL
      AND w.held_after IS NULL AND NOT coalesce(s.suspended, false)`,
);

/** Partitions of the messages, by week: made ahead, and dropped when the feed does not keep their events any more. */
@Injectable()
export class WebhookPartitions {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: SignalsConfig,
  ) {}

  @Interval({
    name: 'webhook_partitions',
    intervalMs: 3_600_000,
    runAtStart: true,
    failure: 'Failed to make the next partitions of the messages of webhooks. They exist for two weeks ahead',
  })
  async makeNext(): Promise<void> {
    await this.database.rows(make, [this.clock.now(), this.config.EVENT_RETENTION_DAYS]);
  }

  @Interval({
    name: 'webhook_retention',
    intervalMs: 3_600_000,
    requiresAgreedClock: true,
    failure: 'Failed to drop messages of webhooks that are older than EVENT_RETENTION_DAYS',
  })
  async dropOld(): Promise<void> {
    await this.database.rows(drop, [this.clock.now(), this.config.EVENT_RETENTION_DAYS]);
  }

  @Interval({
    name: 'webhook_orphans',
    intervalMs: 60_000,
    failure: 'Failed to delete the messages of deleted webhook endpoints',
  })
  async removeOrphans(stopping = () => false): Promise<void> {
    while (!stopping()) if ((await this.database.rows(removeOrphans)).length < orphansOfOneRun) return;
  }

  @Interval({ name: 'webhook_backlog', intervalMs: 10_000, failure: 'Failed to count the messages that wait' })
  async measure(): Promise<void> {
    const [row] = await this.database.rows<{ ready: number; failing: number; oldest: number }>(backlog, [
      this.clock.now(),
    ]);
    pendingMessages.set({ endpoints: 'ready' }, row!.ready);
    pendingMessages.set({ endpoints: 'failing' }, row!.failing);
    oldestReadySeconds.set(Math.max(0, row!.oldest));
  }
}
