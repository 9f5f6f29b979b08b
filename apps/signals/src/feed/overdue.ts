import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Database, statement } from '@holdfast/data';
import { CLOCK, mayExpire, type Clock } from '@holdfast/platform';
import { repeat, Shutdown } from '@holdfast/service';
import { maxWaitMs } from './append-in-order.js';
import { eventsWaiting } from './feed-metrics.js';
import { Feed } from './feed.js';

const every = 1000;
const overdue = statement(
  'waiting_overdue',
  `SELECT org, encode(key, 'hex') AS key FROM waiting WHERE since <= $1 ORDER BY since LIMIT 200`,
);
const count = statement('waiting_count', 'SELECT count(*)::int AS n FROM waiting');

/**
 * Appends events that have waited long enough for a predecessor. Replicas may do it concurrently: each event is appended once.
 */
@Injectable()
export class Overdue implements OnApplicationBootstrap {
  private readonly logger = new Logger('overdue events');

  constructor(
    private readonly database: Database,
    private readonly feed: Feed,
    private readonly shutdown: Shutdown,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    const permitted = () => mayExpire(this.clock);
    const failed = (error: unknown) =>
      this.logger.warn(`events that have waited long enough must wait on: ${String(error)}`);
    repeat(this.shutdown, { every, permitted, work: () => this.letIn(), failed });
  }

  private async letIn(): Promise<void> {
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
