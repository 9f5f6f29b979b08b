import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DueDeliveries, type DeliverySource } from '@holdfast/delivery';
import { Interval, Shutdown } from '@holdfast/service';
import { Outbounds } from '../../sending/outbounds.js';
import type { Claim } from './claim.js';
import { maxOfOne, messageKinds, WebhookDeliveries, type MessageKind } from './deliveries.js';
import { WebhookSender } from './webhook-sender.js';

/** Messages that this process sends concurrently. */
const maxRunning = 512;
/** How many of them may be to endpoints whose last attempt failed: those that hang must leave room for the others. */
const maxFailing = 64;
/** How long a process that stops waits for its receivers. */
const drainMs = 2000;

/** Gives each message that is due its turn, at any replica. */
@Injectable()
export class WebhookQueue implements OnApplicationBootstrap, DeliverySource<Claim> {
  private readonly due = new DueDeliveries<Claim>(this, drainMs);
  /** Kinds of messages to look for: what the fan-out has claimed needs no look-up, neither before nor after it. */
  private readonly look = new Set<MessageKind>();
  /** Endpoints that had more than could be sent at once, so that each end of a delivery makes room for another. */
  private readonly busy = new Set<string>();

  constructor(
    private readonly deliveries: WebhookDeliveries,
    private readonly sender: WebhookSender,
    private readonly outbounds: Outbounds,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    this.shutdown.before(() => this.due.stop());
  }

  /** Of each endpoint, how many messages this process sends now. */
  get running(): Map<string, number> {
    return countsOf(this.due.claims);
  }

  /** How many more this process may send. */
  get room(): number {
    return Math.max(0, maxRunning - [...this.due.claims].length);
  }

  begin(claims: readonly Claim[]): void {
    this.due.begin(claims);
  }

  /** Messages are due that this process has not claimed. */
  wake(kind: MessageKind, endpoint: string): void {
    this.look.add(kind);
    if (kind === 'free') this.busy.add(endpoint);
    this.due.wake();
  }

  /** The interval repeats a failed run, and logs and counts it. */
  @Interval({
    name: 'webhook_deliveries',
    intervalMs: 500,
    due: "(SELECT endpoint FROM webhook_delivery WHERE status = 'pending' ORDER BY endpoint LIMIT 1) IS NOT NULL",
    failure: 'Failed to read which messages of webhooks are due; they are sent later',
  })
  sendDue(): Promise<void> {
    for (const kind of messageKinds) this.look.add(kind);
    return this.due.deliverDue();
  }

  async claim(running: readonly Claim[]): Promise<Claim[]> {
    const kinds = messageKinds.filter((kind) => this.look.delete(kind));
    const counts = countsOf(running);
    const room = maxRunning - running.length;
    const roomOf = {
      free: room,
      serial: room,
      failing: Math.min(room, maxFailing - running.filter(({ failures }) => failures > 0).length),
    };
    const claimed = await Promise.all(
      kinds.map(async (kind) => {
        const found = roomOf[kind] <= 0 ? [] : await this.deliveries.claim(kind, counts, roomOf[kind]);
        if (found.length > 0) this.look.add(kind);
        return found;
      }),
    );
    if (kinds.includes('free')) this.forgetIdle(counts, claimed.flat());
    return claimed.flat();
  }

  async deliver(claim: Claim, isStopping: () => boolean): Promise<void> {
    await this.sender.send(claim, isStopping);
    if (claim.failures > 0) this.look.add('failing');
    if (claim.catches_up) this.look.add('serial');
    if (this.busy.has(claim.endpoint)) this.look.add('free');
  }

  /** Endpoints of which nothing more is due. */
  private forgetIdle(counts: ReadonlyMap<string, number>, claimed: readonly Claim[]): void {
    const found = new Set(claimed.map(({ endpoint }) => endpoint));
    for (const endpoint of found) this.busy.add(endpoint);
    for (const endpoint of this.busy)
      if (!found.has(endpoint) && (counts.get(endpoint) ?? 0) < maxOfOne) this.busy.delete(endpoint);
  }

  disconnect(): Promise<void> {
    return this.outbounds.close();
  }
}

function countsOf(claims: Iterable<Claim>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { endpoint } of claims) counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1);
  return counts;
}
