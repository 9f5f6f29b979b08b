import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { ServerNats, type NatsContext } from '@nestjs/microservices';
import { z } from 'zod';
import { addressedSubject, contracts, inboxOwner, type BusUser, type Contract } from '@holdfast/contracts';
import { inRemoteTrace } from '@holdfast/platform';
import { parseJson } from '../connection/connection-status.js';
import type { OwnOrganizations } from '../shards/own-organizations.js';
import { countDroppedMessage, type DropReason } from '../subscriptions/dropped-messages.js';
import { traceparentOf } from '../telemetry/message-spans.js';
import { ReceivedCommands } from './received-commands.js';
import { transitSchema, TransitTimes } from './transit.js';

/** How long a stopping service waits for the responses of running requests. */
const drainTimeoutMs = 10_000;

/** The packet of a request. Nest would treat one without an id as an event: it would run it and send no response. */
const packetSchema = z.looseObject({
  pattern: z.string(),
  id: z.string().min(1).max(64),
  data: z.looseObject({}),
  transit: transitSchema.optional().catch(undefined),
  repeated: z.boolean().optional(),
});

type OnMessage = (error: Error | null, message: Msg) => void;

class DroppedMessageError extends Error {
  constructor(
    readonly reason: DropReason,
    message: string,
  ) {
    super(message);
  }
}

/** The message repeats one that has been received. */
class RepeatedMessageError extends Error {}

/**
 * Nest's NATS transport over the service's one connection, in the queue group of the service. On close it accepts no
 * more requests and completes the running ones (Nest would sleep for a fixed grace period instead).
 *
 * It accepts a request on its contract's subject, with or without this replica's id, whose reply subject is in the
 * inbox of a user that the contract names as caller. It counts and drops anything else. NATS permissions decide who may
 * publish to the subject; this check also rejects messages that a user makes JetStream, or another service's response,
 * deliver there (docs/adr/0019-who-may-send-what.md).
 *
 * Events need no transport of Nest: `@Consumes` finds their methods. Handlers of requests do: Nest's pipeline runs
 * them, turns what they throw into an error packet and sends the reply, in the form that `Bus` reads.
 */
export class BusTransport extends ServerNats {
  private running = 0;
  private readonly open: Subscription[] = [];
  private contracts?: Map<string, Contract>;
  private readonly transitTimes = new TransitTimes();
  private readonly receivedCommands = new ReceivedCommands();

  constructor(
    private readonly connection: NatsConnection,
    private readonly queue: string,
    /** The id by which callers address this process, besides its queue group. */
    private readonly replica: string,
    /** Of a service that belongs to a shard: its handlers refuse requests about the organizations of other shards. */
    private readonly own?: OwnOrganizations,
  ) {
    super({
      queue,
      deserializer: {
        deserialize: (message: Msg, options?: { channel?: string }) => this.accept(message, options?.channel ?? ''),
      },
    });
  }

  /** The service has connected already, with its key and certificates. Nest would open another connection. */
  override createNatsClient(): Promise<never> {
    return Promise.resolve(this.connection as never);
  }

  /** connection.ts reports the state of the connection already. */
  override async handleStatusUpdates(): Promise<void> {}

  /** Our patterns are subjects. Nest would try to parse each as JSON, and catch the error, for every message. */
  override getRouteFromPattern(pattern: string): string {
    return pattern;
  }

  /** Handles the requests of a further bus as well. The application must have started. */
  serve(connection: NatsConnection): void {
    this.bindEvents(connection);
  }

  /**
   * Subscribes to each contract, as Nest does, and once to the requests of all contracts that are addressed to this
   * replica. Nest would keep its subscriptions in a private member, and close() drains them.
   */
  override bindEvents(client: NatsConnection): void {
    for (const subject of this.messageHandlers.keys())
      this.listenTo(client, subject, this.getMessageHandler(subject) as OnMessage);
    const suffix = `.${this.replica}`;
    const pattern = addressedSubject(`rpc.${this.queue}.*`, this.replica);
    this.listenTo(client, pattern, (error, message) => {
      // Without a message then.
      if (error) return countDroppedMessage(pattern, 'connection', String(error));
      const contractSubject = message.subject.slice(0, -suffix.length);
      if (!this.messageHandlers.has(contractSubject))
        return countDroppedMessage(pattern, 'subject', 'it is no contract of this service');
      this.handleMessage(contractSubject, message).catch((cause: unknown) =>
        countDroppedMessage(contractSubject, 'handler', String(cause)),
      );
    });
  }

  /** Counts the running requests for close(), continues the trace of the caller, and counts what it drops. */
  override async handleMessage(...args: Parameters<ServerNats['handleMessage']>): Promise<unknown> {
    this.running += 1;
    try {
      return await inRemoteTrace(traceparentOf(args[1] as Msg), () => super.handleMessage(...args));
    } catch (error) {
      if (error instanceof RepeatedMessageError) return undefined;
      const reason = error instanceof DroppedMessageError ? error.reason : 'handler';
      countDroppedMessage(args[0], reason, error instanceof Error ? error.message : String(error));
      return undefined;
    } finally {
      this.running -= 1;
    }
  }

  /** Nest would respond to the message that is handled only, not to those that repeat it. */
  override getPublisher(message: Msg, id: string, context: NatsContext): (response: object) => void {
    if (!this.receivedCommands.has(message)) return super.getPublisher(message, id, context);
    return (response) => {
      const { data } = this.serializer.serialize({ ...response, id }) as { data: string };
      this.receivedCommands.respond(message, data);
    };
  }

  private listenTo(client: NatsConnection, subject: string, callback: OnMessage): void {
    // eslint-disable-next-line no-restricted-syntax -- subscribeValidated() drops messages that expect a reply
    this.open.push(client.subscribe(subject, { queue: this.queue, callback }));
  }

  private accept(message: Msg, subject: string): { pattern: string; id: string; data: unknown } {
    if (message.subject !== subject && message.subject !== addressedSubject(subject, this.replica))
      throw new DroppedMessageError('subject', 'it was sent under another subject');
    this.contracts ??= new Map(contracts.map((contract) => [contract.subject, contract]));
    const contract = this.contracts.get(subject);
    const caller = callerOf(message, contract?.callers ?? []);
    if (!caller)
      throw new DroppedMessageError('sender', 'its reply subject is in no inbox of a caller that the contract names');
    const packet = packetSchema.safeParse(parseJson(message));
    if (!packet.success) throw new DroppedMessageError('body', 'it is not a request');
    const { id, data, transit, repeated = false } = packet.data;
    const isRepeatable = contract?.kind === 'query' || contract?.repeatable;
    if (!isRepeatable && !this.receivedCommands.receive(`${caller} ${id}`, message, repeated))
      throw new RepeatedMessageError();
    const expiresAt = transit && performance.now() + this.transitTimes.remainingMs(transit);
    return { pattern: subject, id, data: { ...data, caller, expiresAt, own: this.own } };
  }

  /** Nest would close the connection, over which running handlers still publish and reply. */
  override async close(): Promise<void> {
    await Promise.all(this.open.map((s) => s.drain().catch(() => undefined)));
    const deadline = Date.now() + drainTimeoutMs;
    while (this.running > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function callerOf({ reply }: Msg, callers: readonly BusUser[]): BusUser | undefined {
  const owner = reply === undefined ? undefined : inboxOwner(reply);
  return owner !== undefined && callers.includes(owner) ? owner : undefined;
}
