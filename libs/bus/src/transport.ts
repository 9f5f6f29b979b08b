import type { NatsConnection, Subscription } from '@nats-io/transport-node';
import { ServerNats } from '@nestjs/microservices';

/** How long an answer may still be on its way out when a service is told to stop. */
const drainLimit = 10_000;

/**
 * Nest's NATS transport over the service's one connection, in the queue group of the service. On close it takes no more
 * requests and answers those that it has (Nest's own grace period is a fixed sleep instead).
 */
export class BusTransport extends ServerNats {
  private running = 0;

  constructor(
    private readonly connection: NatsConnection,
    queue: string,
  ) {
    super({ queue });
  }

  override createNatsClient(): Promise<never> {
    return Promise.resolve(this.connection as never);
  }

  /** connection.ts reports the state of the connection, once. */
  override async handleStatusUpdates(): Promise<void> {}

  /** Our patterns are subjects; Nest would first try to read each as JSON, and catch the error, with every message. */
  override getRouteFromPattern(pattern: string): string {
    return pattern;
  }

  override async handleMessage(...args: Parameters<ServerNats['handleMessage']>): Promise<unknown> {
    this.running += 1;
    try {
      return await super.handleMessage(...args);
    } finally {
      this.running -= 1;
    }
  }

  override async close(): Promise<void> {
    const { subscriptions } = this as unknown as { subscriptions: Subscription[] };
    await Promise.all(subscriptions.map((s) => s.drain().catch(() => undefined)));
    const deadline = Date.now() + drainLimit;
    while (this.running > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
