import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DueDeliveries, type DeliverySource } from '@holdfast/delivery';
import { Interval, Shutdown } from '@holdfast/service';
import { Outbounds } from '../../sending/outbounds.js';
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
export class DeliveryQueue implements OnApplicationBootstrap, DeliverySource<Claim> {
  private readonly due = new DueDeliveries<Claim>(this, drainMs);

  constructor(
    private readonly deliveries: Deliveries,
    private readonly sender: Sender,
    private readonly outbounds: Outbounds,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    this.shutdown.before(() => this.due.stop());
  }

  /** Something may be due: sends at once. The interval repeats a failed run, and logs and counts it. */
  wake(): void {
    this.due.wake();
  }

  @Interval({
    name: 'audit_deliveries',
    intervalMs: 500,
    due: 'EXISTS (SELECT FROM audit_destination)',
    failure: 'Failed to read which destinations of audit logs are due; they get their entries later',
  })
  sendDue(): Promise<void> {
    return this.due.deliverDue();
  }

  /** Those whose last attempt failed when no others are due. */
  async claim(running: readonly Claim[]): Promise<Claim[]> {
    const claimed = await this.claimSome(running, false);
    return claimed.length > 0 ? claimed : this.claimSome(running, true);
  }

  deliver(claim: Claim, isStopping: () => boolean): Promise<void> {
    return this.sender.turn(claim, isStopping);
  }

  disconnect(): Promise<void> {
    return this.outbounds.close();
  }

  private async claimSome(running: readonly Claim[], failing: boolean): Promise<Claim[]> {
    const room = maxRunning - running.length;
    const roomOfKind = failing ? maxFailing - running.filter(({ failures }) => failures > 0).length : room;
    if (Math.min(room, roomOfKind) <= 0) return [];
    const counts = new Map<string, number>();
    for (const { id } of running) counts.set(id, (counts.get(id) ?? 0) + 1);
    const full = [...counts].filter(([, count]) => count >= maxOfOne).map(([id]) => id);
    return this.deliveries.claim({ full, some: [...counts.keys()] }, Math.min(room, roomOfKind), failing);
  }
}
