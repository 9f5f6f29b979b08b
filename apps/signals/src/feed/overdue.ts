import { Inject, Injectable } from '@nestjs/common';
import { Database, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { maxWaitMs } from './append-in-order.js';
import { eventsWaiting } from './feed-metrics.js';
import { Feed } from './feed.js';

const overdue = statement(
  'waiting_overdue',
  `SELECT org, encode(key, 'hex') AS key FROM waiting WHERE since <= $1 ORDER BY since LIMIT 200`,
);
const count = statement('waiting_count', 'SELECT count(*)::int AS n FROM waiting');

/**
 * Appends events that have waited long enough for a predecessor. Replicas may do it concurrently: each event is
 * appended once.
 */
@Injectable()
export class Overdue {
  constructor(
    private readonly database: Database,
    private readonly feed: Feed,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'overdue_events',
    intervalMs: 1000,
    requiresAgreedClock: true,
    failure: 'Failed to add overdue events to the feed; they stay in the waiting table',
  })
  async letIn(): Promise<void> {
    const [{ n } = { n: 0 }] = await this.database.rows<{ n: number }>(count);
    eventsWaiting.set(n);
    if (n === 0) return;
    await this.feed.review(
      await this.database.rows<{ org: string; key: string }>(overdue, [
        new Date(this.clock.now().getTime() - maxWaitMs),
      ]),
    );
  }
}
