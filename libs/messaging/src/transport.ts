import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { ServerNats } from '@nestjs/microservices';
import { z } from 'zod';
import { addressedSubject, contracts, inboxOwner, type BusUser, type Contract } from '@holdfast/contracts';
import { parseJson } from './connection-status.js';
import { countDroppedMessage, type DropReason } from './dropped-messages.js';
import { transitSchema, TransitTimes } from './transit.js';

/** How long an answer may still be on its way out when a service is told to stop. */
const drainLimit = 10_000;

/** What Nest makes of a request. Without an id it would be an event, which is carried out and answered to nobody. */
const packetSchema = z.looseObject({
  pattern: z.string(),
  id: z.string().min(1).max(64),
  data: z.looseObject({}),
  transit: transitSchema.optional().catch(undefined),
});

class Dropped extends Error {
  constructor(
    readonly reason: DropReason,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Nest's NATS transport over the service's one connection, in the queue group of the service. On close it takes no more
 * requests and answers those that it has (Nest's own grace period is a fixed sleep instead).
 *
 * A request is accepted on its contract's own subject, alone or with this replica's id, and with a reply subject in the
 * inbox of a user that the contract names as caller; anything else is counted and dropped. Who may publish there at all
 * is up to the broker; this keeps out what JetStream, or another service's answer, is made to deliver on somebody's
 * behalf (docs/adr/0019-who-may-send-what.md).
 */
export class BusTransport extends ServerNats {
  private running = 0;
  private contracts?: Map<string, Contract>;
  private readonly transitTimes = new TransitTimes();

  constructor(
    private readonly connection: NatsConnection,
    private readonly queue: string,
    /** What callers address this process by, besides the queue group that it is in. */
    private readonly replica: string,
  ) {
    super({
      queue,
      deserializer: {
        deserialize: (message: Msg, options?: { channel?: string }) => this.accept(message, options?.channel ?? ''),
      },
    });
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

  /**
   * Besides the queue group of each contract: what is addressed to this replica, of all contracts in one subscription.
   */
  override bindEvents(client: NatsConnection): void {
    super.bindEvents(client);
    const suffix = `.${this.replica}`;
    const pattern = addressedSubject(`rpc.${this.queue}.*`, this.replica);
    const { subscriptions } = this as unknown as { subscriptions: Subscription[] };
    // subscribeValidated() drops messages that want a reply, and this is the transport of requests.
    // eslint-disable-next-line no-restricted-syntax -- requests need a reply
    const addressed = client.subscribe(pattern, {
      queue: this.queue,
      callback: (error, message) => {
        const contractSubject = message.subject.slice(0, -suffix.length);
        if (error) return countDroppedMessage(pattern, 'connection', String(error));
        if (!this.messageHandlers.has(contractSubject))
          return countDroppedMessage(pattern, 'subject', 'it is no contract of this service');
        this.handleMessage(contractSubject, message).catch((cause: unknown) =>
          countDroppedMessage(contractSubject, 'handler', String(cause)),
        );
      },
    });
    subscriptions.push(addressed);
  }

  override async handleMessage(...args: Parameters<ServerNats['handleMessage']>): Promise<unknown> {
    this.running += 1;
    try {
      return await super.handleMessage(...args);
    } catch (error) {
      const reason = error instanceof Dropped ? error.reason : 'handler';
      countDroppedMessage(args[0], reason, error instanceof Error ? error.message : String(error));
      return undefined;
    } finally {
      this.running -= 1;
    }
  }

  private accept(message: Msg, subject: string): { pattern: string; id: string; data: unknown } {
    if (message.subject !== subject && message.subject !== addressedSubject(subject, this.replica))
      throw new Dropped('subject', 'it was sent under another subject');
    this.contracts ??= new Map(contracts.map((contract) => [contract.subject, contract]));
    const caller = callerOf(message, this.contracts.get(subject)?.callers ?? []);
    if (!caller) throw new Dropped('sender', 'its reply subject is in no inbox of a caller that the contract names');
    const packet = packetSchema.safeParse(parseJson(message));
    if (!packet.success) throw new Dropped('body', 'it is not a request');
    const { id, data, transit } = packet.data;
    const expiresAt = transit && performance.now() + this.transitTimes.remainingMs(transit);
    return { pattern: subject, id, data: { ...data, caller, expiresAt } };
  }

  override async close(): Promise<void> {
    const { subscriptions } = this as unknown as { subscriptions: Subscription[] };
    await Promise.all(subscriptions.map((s) => s.drain().catch(() => undefined)));
    const deadline = Date.now() + drainLimit;
    while (this.running > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function callerOf({ reply }: Msg, callers: readonly BusUser[]): BusUser | undefined {
  const owner = reply === undefined ? undefined : inboxOwner(reply);
  return owner !== undefined && callers.includes(owner) ? owner : undefined;
}
