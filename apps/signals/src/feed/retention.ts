import { Inject, Injectable } from '@nestjs/common';
import { Database, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG, Interval } from '@holdfast/service';
import type { SignalsConfig } from '../config.js';

const batchSize = 1000;
const day = 86_400_000;

const oldest = statement('event_oldest', 'SELECT org FROM event WHERE placed_at < $1 ORDER BY placed_at LIMIT 1');
const hold = statement('head_hold_one', 'SELECT 1 FROM head WHERE org = $1 FOR UPDATE');
/** From the beginning of the feed on, so that what is left has no hole; `removed` tells readers who come too late. */
const remove = statement(
  'event_remove',
  `WITH gone AS (
     DELETE FROM event WHERE org = $1 AND seq IN (SELECT seq FROM event WHERE org = $1 AND placed_at < $2 ORDER BY seq LIMIT ${batchSize}) RETURNING seq
   )
   UPDATE head SET removed = greatest(removed, (SELECT max(seq) FROM gone)) WHERE org = $1`,
);

/** Removes what is older than the feed keeps, a few at a time. Replicas may do it at once. */
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
    const before = new Date(this.clock.now().getTime() - this.config.EVENT_RETENTION_DAYS * day);
    while (!stopping()) {
      const [row] = await this.database.rows<{ org: string }>(oldest, [before]);
      if (!row) return;
      await this.database.transaction(async (sql) => {
        await sql.rows(hold, [row.org]);
        await sql.last(remove, [row.org, before]);
      });
    }
  }
}
