import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { within } from '@holdfast/platform';
import { Interval, Shutdown } from '@holdfast/service';
import { Outbounds } from '../outbounds.js';
import { Deliveries, type Claim } from './deliveries.js';
import { Sender } from './sender.js';

/** Logs that this process sends concurrently. */
const maxRunning = 32;
/**
 * How many of them may be of destinations whose last attempt failed: those that hang take a slot for as long as an
 * attempt may last, and must leave room for the others.
 */
const maxFailing = 8;
/** Logs of one destination that are sent concurrently, when it gets those of all organizations. */
const maxOfOne = 4;

/** How long a process that stops waits for its receivers. */
const drainMs = 2000;

/** Gives each destination that is due its turn, at any replica. */
@Injectable()
export class DeliveryQueue implements OnApplicationBootstrap {
  private readonly running = new Map<Claim, Promise<void>>();
  private claiming = false;
  private again = false;
  private stopped = false;

  constructor(
    private readonly deliveries: Deliveries,
    private readonly sender: Sender,
    private readonly outbounds: Outbounds,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    this.shutdown.before(async () => {
      this.stopped = true;
      const ended = () => within(drainMs, Promise.all(this.running.values())).catch(() => undefined);
      await ended();
      // What a receiver has not confirmed by now is sent again by another replica.
      await this.outbounds.close();
      await ended();
    });
  }

  /** Something may be due: sends at once. The interval repeats a failed run, and logs and counts it. */
  wake(): void {
    void this.sendDue().catch(() => undefined);
  }

  @Interval({
    name: 'audit_deliveries',
    intervalMs: 500,
    failure: 'Failed to read which destinations of audit logs are due; they get their entries later',
  })
  async sendDue(): Promise<void> {
    this.again = true;
    if (this.claiming) return;
    this.claiming = true;
    try {
      while (this.again && !this.stopped) {
        this.again = false;
        // Another round as long as there is something due and room for it.
        if ((await this.claim(false)) || (await this.claim(true))) this.again = true;
      }
    } finally {
      this.claiming = false;
    }
  }

  private async claim(failing: boolean): Promise<boolean> {
    const busy = [...this.running.keys()];
    const room = failing
      ? Math.min(maxRunning - busy.length, maxFailing - busy.filter(({ failures }) => failures > 0).length)
      : maxRunning - busy.length;
    if (room <= 0) return false;
    const counts = new Map<string, number>();
    for (const { id } of busy) counts.set(id, (counts.get(id) ?? 0) + 1);
    const full = [...counts].filter(([, count]) => count >= maxOfOne).map(([id]) => id);
    const claims = await this.deliveries.claim({ full, some: [...counts.keys()] }, room, failing);
    for (const claim of claims) this.start(claim);
    return claims.length > 0;
  }

  private start(claim: Claim): void {
    const turn = this.sender
      .turn(claim, () => this.stopped)
      .finally(() => {
        this.running.delete(claim);
        if (!this.stopped) this.wake();
      });
    this.running.set(claim, turn);
  }
}
