import { jetstream, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import { ClosedConnectionError, type NatsConnection, type Status } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import type { z } from 'zod';
import type { DomainEvent, ServiceName, Stream } from '@holdfast/contracts';
import { isPermanentError } from '@holdfast/data';
import { AppError, everyTick, inSpanOfMessages, secondsSince, type Ticking } from '@holdfast/platform';
import { onConnectionStatus } from '../connection/connection-status.js';
import type { Bus } from '../requests/bus.js';
import { MisdirectedError } from '../shards/misdirected.js';
import { countDroppedMessage } from '../subscriptions/dropped-messages.js';
import { consumeSpan } from '../telemetry/message-spans.js';
import { consumerBatchSeconds, consumerLastSuccess, eventsConsumed } from '../telemetry/metrics.js';
import { eventsIn, isForeign, messageIdOf, originOf, type DeliveredEvent } from './delivered-events.js';
import { FailingMessages } from './failing-messages.js';
import { acknowledgeProjection } from './projection-acknowledgements.js';
import { reasonOf, RepeatedFailures, type Failure } from './repeated-failures.js';

/** Applies a batch of events in one transaction, or throws. Events may arrive late, twice or out of order. */
export type ApplyBatch<Event> = (events: Event[]) => Promise<void>;

/** A batch takes further messages until it has this many events. */
const batchSize = 100;
const resubscribeAfterMs = 500;
/**
 * Small and short, because the server still delivers to a hung replica what it has requested. Another replica receives
 * these events only after `ackWaitMs` (declare.ts).
 */
const maxHeld = 100;
const pullTimeoutMs = 3000;
/**
 * After two heartbeats that are missing, events are requested again: the server that had the request may have passed
 * the consumer on to another one, which does not know it. A command waits for its event for a second (libs/outbox), so
 * with several servers the heartbeat is half of that (docs/adr/0070-silent-nats-servers.md).
 */
const heartbeatMs = { oneServer: 1000, severalServers: 500 };
/**
 * Below `ackWaitMs`: extends the acknowledgement deadline of held events, so that a slow database is no hung replica.
 */
const extendIntervalMs = 500;

/**
 * One unbroken subscription. Sequence numbers restart when the server has lost its files. An acknowledgement sent after
 * a reconnect could then acknowledge another event, which nobody would apply. So none is sent after a break.
 */
interface Session {
  broken: boolean;
}

interface Received {
  message: JsMsg;
  session: Session;
  id: string;
  events: DeliveredEvent[];
}

export interface ConsumerOptions {
  /** Delay before an event that could not be applied is delivered again. */
  retryAfterMs?: number;
}

/**
 * A durable consumer. It takes the available events as one batch, applies and acknowledges them, and notifies the
 * producer. If a batch fails, it applies each event alone, so that a bad event does not block the others. While the
 * database is unavailable it retries without end. An event with a permanent error is quarantined after some attempts
 * (RepeatedFailures). Only then does the consumer acknowledge it, so that later events can be confirmed.
 */
export class EventConsumer<S extends Stream> {
  private readonly logger: Logger;
  private readonly queue: Received[] = [];
  /** Messages that were received, and neither acknowledged nor put back. */
  private readonly held = new Set<Received>();
  private extending?: Ticking;
  private session: Session = { broken: true };
  private applying?: Promise<void>;
  private messages?: ConsumerMessages;
  private stopped = false;
  private readonly connection: NatsConnection;
  private readonly retryAfterMs: number;
  private readonly failures: RepeatedFailures;
  private readonly failing = new FailingMessages();

  constructor(
    private readonly stream: S,
    private readonly consumer: ServiceName,
    bus: Bus,
    private readonly apply: ApplyBatch<z.output<S['event']>>,
    { retryAfterMs = 1000 }: ConsumerOptions = {},
  ) {
    this.connection = bus.connection;
    this.retryAfterMs = retryAfterMs;
    this.logger = new Logger(`consumer ${stream.name}`);
    this.failures = new RepeatedFailures(stream, consumer, bus, this.logger, retryAfterMs);
  }

  start(): void {
    this.watchBreaks();
    this.extending = everyTick(extendIntervalMs, () => this.extendDeadlines());
    void this.consume();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.messages?.close();
    await this.applying;
    this.extending?.stop();
  }

  /** For the operator: that events cannot be applied, and why. */
  remark(): string | undefined {
    return this.failing.remark(this.stream.name);
  }

  private extendDeadlines(): void {
    for (const { message, session } of this.held) if (!session.broken) unlessClosed(() => message.working());
  }

  private watchBreaks(): void {
    const handle = ({ type }: Status): void => {
      if (type !== 'disconnect') return;
      this.session.broken = true;
      this.messages?.stop();
    };
    onConnectionStatus(this.connection, handle, (error) =>
      this.logger.error(`Failed to follow the state of the NATS connection: ${String(error)}`),
    );
  }

  private async consume(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.receive();
      } catch (error) {
        this.logger.warn(
          `Failed to consume ${this.stream.name}; retrying in ${resubscribeAfterMs / 1000} s: ${String(error)}`,
        );
      }
      if (!this.stopped) await new Promise((resolve) => setTimeout(resolve, resubscribeAfterMs));
    }
  }

  /** Receives events until the connection breaks or the durable consumer no longer exists. */
  private async receive(): Promise<void> {
    // Fails at once while the server is unavailable. The request below would wait for its timeout.
    await this.connection.flush();
    const session: Session = { broken: false };
    this.session = session;
    try {
      const consumer = await jetstream(this.connection, { timeout: 2000 }).consumers.get(
        this.stream.name,
        this.consumer,
      );
      this.messages = await consumer.consume({
        max_messages: maxHeld,
        expires: pullTimeoutMs,
        idle_heartbeat: this.connection.info?.cluster ? heartbeatMs.severalServers : heartbeatMs.oneServer,
        abort_on_missing_resource: true,
      });
      if (this.stopped || session.broken) return this.messages.stop();
      for await (const message of this.messages) {
        if (isForeign(message)) {
          countDroppedMessage(this.stream.name, 'sender', 'it was published by no outbox');
          unlessClosed(() => message.ack());
          continue;
        }
        const received = { message, session, id: messageIdOf(message), events: eventsIn(message) };
        this.queue.push(received);
        this.held.add(received);
        this.applying ??= this.drain().finally(() => (this.applying = undefined));
        // Stops pulling while the queue is full: events that wait here for too long are redelivered.
        if (this.queue.length >= maxHeld) await this.applying;
      }
    } finally {
      // On shutdown the batch in progress is still acknowledged.
      if (!this.stopped) session.broken = true;
    }
  }

  private async drain(): Promise<void> {
    // Lets further messages that have arrived join the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) {
      const batch = this.nextBatch();
      try {
        await this.applyEvents(batch.flatMap(({ events }) => events));
        for (const received of batch) this.acknowledge(received);
      } catch (error) {
        if (isPermanent(error)) await this.applyEach(batch, error);
        // A transient error affects every event alike, so applying them one by one would not help.
        else this.putBack(batch, error, this.retryAfterMs);
      }
    }
  }

  private nextBatch(): Received[] {
    let events = 0;
    const end = this.queue.findIndex((received) => (events += received.events.length) >= batchSize);
    return this.queue.splice(0, end < 0 ? this.queue.length : end + 1);
  }

  private async applyEach(batch: Received[], error: unknown): Promise<void> {
    const events = batch.reduce((sum, received) => sum + received.events.length, 0);
    if (events > 1) this.logger.warn(`a batch of ${events} events failed; applying each alone: ${String(error)}`);
    for (const received of batch) await this.applyAlone(received);
  }

  /** Applies each event of a message by itself. The message is acknowledged when each is applied or quarantined. */
  private async applyAlone(received: Received): Promise<void> {
    const failures: Failure[] = [];
    for (const event of received.events) {
      try {
        await this.applyEvents([event]);
      } catch (cause) {
        if (!isPermanent(cause)) return this.putBack([received], cause, this.retryAfterMs);
        failures.push({ id: event.id, cause });
      }
    }
    const [first] = failures;
    const delayMs = first && (await this.failures.delayMsAfter(received.id, failures, received.events.length > 1));
    if (delayMs === undefined) this.acknowledge(received);
    else this.putBack([received], first?.cause, delayMs);
  }

  private async applyEvents(delivered: DeliveredEvent[]): Promise<void> {
    const events = delivered.map(({ body }) => this.stream.event.parse(body) as z.output<S['event']>);
    await inSpanOfMessages(
      () => consumeSpan(this.stream, events as DomainEvent[]),
      () => delivered.map((one, i) => originOf(one, events[i] as DomainEvent)),
      () => this.timed(() => this.apply(events)),
    );
    eventsConsumed.inc({ stream: this.stream.name, outcome: 'applied' }, events.length);
    consumerLastSuccess.set({ stream: this.stream.name }, Date.now() / 1000);
    if (this.stream.awaited.includes(this.consumer) && !this.connection.isClosed()) {
      acknowledgeProjection(
        this.connection,
        this.consumer,
        this.stream.producer,
        events.map((e) => (e as DomainEvent).id),
      );
    }
  }

  private async timed(apply: () => Promise<void>): Promise<void> {
    const startedAtMs = performance.now();
    try {
      await apply();
    } finally {
      consumerBatchSeconds.observe({ stream: this.stream.name }, secondsSince(startedAtMs));
    }
  }

  private acknowledge(received: Received): void {
    this.failures.forget(received.id);
    this.failing.remove(received.id);
    this.settle(received, () => received.message.ack());
  }

  private settle(received: Received, send: () => void): void {
    this.held.delete(received);
    if (!received.session.broken) unlessClosed(send);
  }

  private putBack(batch: Received[], cause: unknown, delayMs: number): void {
    const events = batch.reduce((sum, received) => sum + received.events.length, 0);
    eventsConsumed.inc({ stream: this.stream.name, outcome: 'failed' }, events);
    this.failing.add(
      batch.map(({ id }) => id),
      reasonOf(cause),
    );
    const [first] = batch;
    const others = batch.length > 1 ? ` and ${batch.length - 1} after it` : '';
    this.logger.error(
      `message at ${this.stream.name}/${first!.message.seq}${others} could not be applied; ` +
        `retrying in ${delayMs / 1000} s: ${String(cause)}`,
    );
    for (const received of batch) this.settle(received, () => received.message.nak(delayMs));
  }
}

/** Not when another service did not reply, whose state an event may depend on: trying again is all that helps. */
function isPermanent(error: unknown): boolean {
  if (error instanceof MisdirectedError) return true;
  return !(error instanceof AppError && error.code === 'unavailable') && isPermanentError(error);
}

/** An acknowledgement that cannot be sent, because the connection is closed, is skipped: the event is redelivered. */
function unlessClosed(send: () => void): void {
  try {
    send();
  } catch (error) {
    if (!(error instanceof ClosedConnectionError)) throw error;
  }
}
