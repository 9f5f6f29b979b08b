import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DueDeliveries, type DeliverySource } from '@holdfast/delivery';
import { Interval, Shutdown } from '@holdfast/service';
import { PushDeliveries, type Claim } from './push-deliveries.js';
import { PushSender } from './push-sender.js';
import { StreamGrowth } from './stream-growth.js';

/** Tokens that this process pushes concurrently. */
const maxRunning = 256;
/** How long a process that stops waits for its receivers. */
const drainMs = 2000;

/** Gives each token that is due its turn, at any replica, and tells those who wait for tokens that there are some. */
@Injectable()
export class PushQueue implements OnApplicationBootstrap, DeliverySource<Claim> {
  private readonly due = new DueDeliveries<Claim>(this, drainMs);

  constructor(
    private readonly deliveries: PushDeliveries,
    private readonly sender: PushSender,
    private readonly growth: StreamGrowth,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    this.shutdown.before(() => this.due.stop());
  }

  /** Streams of these organizations may have new tokens. */
  wake(orgs: Iterable<string>): void {
    this.growth.announce(orgs);
    this.due.wake();
  }

  /** The interval repeats a failed run, and logs and counts it. */
  @Interval({
    name: 'ssf_pushes',
    intervalMs: 500,
    due: `EXISTS (SELECT FROM ssf_stream w WHERE w.method = 'push'
      AND (SELECT seq FROM ssf_event WHERE stream = w.id AND status = 'pending' ORDER BY seq LIMIT 1) IS NOT NULL)`,
    failure: 'Failed to read which security events are due; they are pushed later',
  })
  pushDue(): Promise<void> {
    return this.due.deliverDue();
  }

  async claim(running: readonly Claim[]): Promise<Claim[]> {
    const room = maxRunning - running.length;
    if (room <= 0) return [];
    const counts = new Map<string, number>();
    for (const { stream } of running) counts.set(stream, (counts.get(stream) ?? 0) + 1);
    return this.deliveries.claim(counts, room);
  }

  deliver(claim: Claim, isStopping: () => boolean): Promise<void> {
    return this.sender.send(claim, isStopping);
  }
}
