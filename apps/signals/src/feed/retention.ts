import { Inject, Injectable } from '@nestjs/common';
import { Database, isNotFenced, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG, Interval } from '@holdfast/service';
import type { SignalsConfig } from '../config.js';

const batchSize = 1000;
const dayMs = 86_400_000;

const oldest = statement(
  'event_oldest',
  `SELECT org FROM event e WHERE appended_at < $1 AND ${isNotFenced('e.org')} ORDER BY appended_at LIMIT 1`,
);
const lockHead = statement('head_lock_one', 'SELECT 1 FROM head WHERE org = $1 FOR UPDATE');
/**
 * From the beginning of the feed, so that the rest has no gap. By `removed`, readers with an older cursor get an error.
 */
const remove = statement(
  'event_remove',
  `WITH deleted AS (
     DELETE FROM event
      WHERE org = $1
        AND seq IN (SELECT seq FROM event WHERE org = $1 AND appended_at < $2 ORDER BY seq LIMIT ${batchSize})
     RETURNING seq
   )
   UPDATE head SET removed = greatest(removed, (SELECT max(seq) FROM deleted)) WHERE org = $1`,
);

/** Removes events that are older than the retention, in batches. Replicas may do so concurrently. */
@Injectable()
export class Retention {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: SignalsConfig,
  ) {}

  @Interval({
    name: 'feed_retention',
    intervalMs: 60_000,
    requiresAgreedClock: true,
    failure: 'Failed to remove events older than EVENT_RETENTION_DAYS from the feed',
  })
  async removeOld(stopping = () => false): Promise<void> {
    const before = new Date(this.clock.now().getTime() - this.config.EVENT_RETENTION_DAYS * dayMs);
    while (!stopping()) {
      const [row] = await this.database.rows<{ org: string }>(oldest, [before]);
      if (!row) return;
      await this.database.transaction(async (sql) => {
        await sql.rows(lockHead, [row.org]);
        await sql.last(remove, [row.org, before]);
      });
    }
  }
}
