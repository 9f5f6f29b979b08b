import { Inject, Injectable } from '@nestjs/common';
import { Database, isNotFenced, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG, Interval } from '@holdfast/service';
import type { SignalsConfig } from '../config.js';
import { oldestReadySeconds, pendingTokens } from './metrics.js';

/** Tokens of deleted streams that one statement deletes. */
const orphansOfOneRun = 2000;

const make = statement('ssf_partitions_make', 'SELECT make_ssf_partitions($1, $2)');
const drop = statement('ssf_partitions_drop', 'SELECT drop_ssf_partitions($1, $2) AS dropped');
/** The streams of tokens are found by index look-ups from one to the next. */
const removeOrphans = statement(
  'ssf_event_remove_orphans',
  `WITH RECURSIVE known AS (
     (SELECT stream FROM ssf_event ORDER BY stream LIMIT 1)
     UNION ALL
     SELECT (SELECT stream FROM ssf_event WHERE stream > k.stream ORDER BY stream LIMIT 1)
       FROM known k WHERE k.stream IS NOT NULL
   ), orphan AS (
     SELECT e.stream, e.seq, e.part, e.created_at FROM known k
       CROSS JOIN LATERAL (SELECT stream, seq, part, created_at, org FROM ssf_event
                            WHERE stream = k.stream LIMIT ${orphansOfOneRun}) e
      WHERE NOT EXISTS (SELECT FROM ssf_stream w WHERE w.id = k.stream) AND ${isNotFenced('e.org')}
      LIMIT ${orphansOfOneRun}
   )
   DELETE FROM ssf_event e USING orphan o
    WHERE e.stream = o.stream AND e.seq = o.seq AND e.part = o.part AND e.created_at = o.created_at RETURNING 1`,
);
const backlog = statement(
  'ssf_backlog',
  `SELECT count(*) FILTER (WHERE w.method = 'push' AND w.failures = 0)::int AS ready,
     count(*) FILTER (WHERE w.method = 'push' AND w.failures > 0)::int AS failing,
     count(*) FILTER (WHERE w.method = 'poll')::int AS polled,
     coalesce(extract(epoch FROM $1::timestamptz - min(e.created_at) FILTER (
       WHERE w.method = 'push' AND w.failures = 0 AND e.lease = 0)), 0)::float AS oldest
     FROM ssf_event e JOIN ssf_stream w ON w.id = e.stream
     LEFT JOIN audit_suspension s ON s.org = w.org
    WHERE e.status = 'pending' AND NOT w.paused AND NOT w.disabled AND NOT coalesce(s.suspended, false)`,
);

interface Backlog {
  ready: number;
  failing: number;
  polled: number;
  oldest: number;
}

/** Partitions of the tokens, by week: made ahead, and dropped when the feed does not keep their events any more. */
@Injectable()
export class TokenPartitions {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: SignalsConfig,
  ) {}

  @Interval({
    name: 'ssf_partitions',
    intervalMs: 3_600_000,
    runAtStart: true,
    failure: 'Failed to make the next partitions of security events. They exist for two weeks ahead',
  })
  async makeNext(): Promise<void> {
    await this.database.rows(make, [this.clock.now(), this.config.EVENT_RETENTION_DAYS]);
  }

  @Interval({
    name: 'ssf_retention',
    intervalMs: 3_600_000,
    requiresAgreedClock: true,
    failure: 'Failed to drop security events that are older than EVENT_RETENTION_DAYS',
  })
  async dropOld(): Promise<void> {
    await this.database.rows(drop, [this.clock.now(), this.config.EVENT_RETENTION_DAYS]);
  }

  @Interval({
    name: 'ssf_orphans',
    intervalMs: 60_000,
    failure: 'Failed to delete the security events of deleted streams',
  })
  async removeOrphans(stopping = () => false): Promise<void> {
    while (!stopping()) if ((await this.database.rows(removeOrphans)).length < orphansOfOneRun) return;
  }

  @Interval({ name: 'ssf_backlog', intervalMs: 10_000, failure: 'Failed to count the security events that wait' })
  async measure(): Promise<void> {
    const [row] = await this.database.rows<Backlog>(backlog, [this.clock.now()]);
    for (const streams of ['ready', 'failing', 'polled'] as const) pendingTokens.set({ streams }, row![streams]);
    oldestReadySeconds.set(Math.max(0, row!.oldest));
  }
}
