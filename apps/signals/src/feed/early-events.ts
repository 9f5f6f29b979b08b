import { Inject, Injectable } from '@nestjs/common';
import { Database, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { maxWaitMs } from './append-in-order.js';
import { earlyEvents } from './feed-metrics.js';
import { Feed } from './feed.js';

const overdue = statement(
  'early_event_overdue',
  `SELECT org, encode(key, 'hex') AS key FROM early_event WHERE received_at <= $1 ORDER BY received_at LIMIT 200`,
);
const count = statement('early_event_count', 'SELECT count(*)::int AS n FROM early_event');

/**
 * Appends early events that have waited long enough for a predecessor. Replicas may do so concurrently: each event is
 * appended once.
 */
@Injectable()
export class EarlyEvents {
  constructor(
    private readonly database: Database,
    private readonly feed: Feed,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'overdue_events',
    intervalMs: 1000,
    due: '(SELECT min(received_at) FROM early_event) IS NOT NULL',
    requiresAgreedClock: true,
    failure: 'Failed to append overdue events to the feed. They stay in the table early_event',
  })
  async appendOverdue(): Promise<void> {
    const [{ n } = { n: 0 }] = await this.database.rows<{ n: number }>(count);
    earlyEvents.set(n);
    if (n === 0) return;
    await this.feed.appendOverdue(
      await this.database.rows<{ org: string; key: string }>(overdue, [
        new Date(this.clock.now().getTime() - maxWaitMs),
      ]),
    );
  }
}
