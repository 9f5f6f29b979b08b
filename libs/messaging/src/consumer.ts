import { jetstream, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import { ClosedConnectionError, type NatsConnection, type Status } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { z } from 'zod';
import { quarantines, type DomainEvent, type ServiceName, type Stream } from '@holdfast/contracts';
import { isPermanentError } from '@holdfast/data';
import type { Bus } from './bus.js';
import { onConnectionStatus, parseJson } from './connection-status.js';
import { countDroppedMessage } from './dropped-messages.js';
import { consumerBatchSeconds, consumerLastSuccess, eventsConsumed } from './metrics.js';
import { acknowledgeProjection } from './projection-acknowledgements.js';
import { systemContext } from './system-context.js';

/**
 * Applies a batch of events, in one transaction; throws when it could not. Events may come late, twice or out of order.
 */
export type ApplyBatch<Event> = (events: Event[]) => Promise<void>;

const batchSize = 100;
const consumeAgainAfterMs = 500;
/**
 * Few, and asked for anew within seconds: what a replica that hangs has asked for still goes to it, and waits there for
 * `ackWaitMs` (declare.ts) before another gets it.
 */
const maxHeld = 100;
const pullMs = 3000;
/** How often the server hears that what is held here is still being worked on: a slow database is no hung replica. */
const stillWorkingMs = 700;

/**
 * One unbroken subscription. Sequence numbers begin anew when the server has lost its files, so that an acknowledgement
 * which outlives the connection may hit another event, which then nobody would ever apply. After a break none is sent.
 */
interface Session {
  broken: boolean;
}

interface Received {
  message: JsMsg;
  session: Session;
}

/** How often an event is tried before it is quarantined; the waits between double. */
const maxAttempts = 5;
/** Events that have failed here and were not applied since. */
const maxCounted = 10_000;

export interface ConsumerOptions {
  /** By the type of the event, which its subject carries: what is not wanted is acknowledged unread. */
  wants?: (type: string) => boolean;
  /** Milliseconds until an event that could not be applied is tried again. */
  retryAfterMs?: number;
}

/**
 * A durable consumer: takes what is there as one batch, applies it, acknowledges, and tells the producer. What cannot
 * be applied is tried again alone, so that a bad event keeps no other from being applied; while the database is unavailable,
 * for ever. An event whose own data is at fault is quarantined after some attempts: its producer keeps it, unconfirmed,
 * and delivers it anew from time to time. Only then is it acknowledged here, so that those behind it are confirmed
 * (docs/adr/0020-quarantined-events.md).
 */
export class EventConsumer<S extends Stream> {
  private readonly logger: Logger;
  private readonly queue: Received[] = [];
  /** All that was received and neither acknowledged nor put back. */
  private readonly held = new Set<Received>();
  private timer?: NodeJS.Timeout;
  private session: Session = { broken: true };
  private applying?: Promise<void>;
  private messages?: ConsumerMessages;
  private stopped = false;
  private readonly connection: NatsConnection;
  private readonly retryAfterMs: number;
  private readonly attempts = new Map<string, number>();

  constructor(
    private readonly stream: S,
    private readonly consumer: ServiceName,
    private readonly bus: Bus,
    private readonly apply: ApplyBatch<z.output<S['event']>>,
    private readonly options: ConsumerOptions = {},
  ) {
    this.connection = bus.connection;
    this.retryAfterMs = options.retryAfterMs ?? 1000;
    this.logger = new Logger(`consumer ${stream.name}`);
  }

  start(): void {
    this.watchBreaks();
    this.timer = setInterval(() => this.sayStillWorking(), stillWorkingMs).unref();
    void this.consume();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.messages?.close();
    await this.applying;
    clearInterval(this.timer);
  }

  private sayStillWorking(): void {
    for (const { message, session } of this.held) if (!session.broken) unlessClosed(() => message.working());
  }

  private watchBreaks(): void {
    const heed = ({ type }: Status): void => {
      if (type !== 'disconnect') return;
      this.session.broken = true;
      this.messages?.stop();
    };
    onConnectionStatus(this.connection, heed, (error) =>
      this.logger.error(`lost sight of the connection's state: ${String(error)}`),
    );
  }

  private async consume(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.receive();
      } catch (error) {
        this.logger.warn(`cannot consume ${this.stream.name} yet: ${String(error)}`);
      }
      if (!this.stopped) await new Promise((resolve) => setTimeout(resolve, consumeAgainAfterMs));
    }
  }

  /** Takes events until the connection breaks or the consumer is gone. */
  private async receive(): Promise<void> {
    // Fails at once while the server is away, where the request below would run into its timeout.
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
        expires: pullMs,
        idle_heartbeat: 1000,
        abort_on_missing_resource: true,
      });
      if (this.stopped || session.broken) return this.messages.stop();
      for await (const message of this.messages) {
        const received = { message, session };
        this.queue.push(received);
        this.held.add(received);
        this.applying ??= this.drain().finally(() => (this.applying = undefined));
        // Asks for no more than it can apply: what waits here is delivered again and again meanwhile.
        if (this.queue.length >= maxHeld) await this.applying;
      }
    } finally {
      // When stopping, what is being applied is still acknowledged.
      if (!this.stopped) session.broken = true;
    }
  }

  private async drain(): Promise<void> {
    // What arrives while a batch is being applied makes up the next one.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) {
      const batch = this.queue.splice(0, batchSize);
      try {
        await this.applyAll(batch);
      } catch (error) {
        if (isPermanentError(error)) await this.applyEach(batch, error);
        // While the database is unavailable, or refuses everything, none of them fares better alone.
        else this.putBack(batch, error, this.retryAfterMs);
      }
    }
  }

  private async applyEach(batch: Received[], error: unknown): Promise<void> {
    if (batch.length > 1) this.logger.warn(`a batch of ${batch.length} failed, trying each alone: ${String(error)}`);
    for (const one of batch) await this.applyAll([one]).catch((cause: unknown) => this.failed(one, cause));
  }

  private async applyAll(batch: Received[]): Promise<void> {
    const wanted = this.options.wants ? batch.filter(({ message }) => this.options.wants!(typeOf(message))) : batch;
    const events = wanted.map(({ message }) => this.stream.event.parse(parseJson(message)) as z.output<S['event']>);
    if (events.length > 0) await this.timed(() => this.apply(events));
    for (const received of batch) this.acknowledge(received);
    this.count('applied', batch.length);
    consumerLastSuccess.set({ stream: this.stream.name }, Date.now() / 1000);
    if (this.attempts.size > 0) for (const { message } of batch) this.attempts.delete(idOf(message));
    if (this.stream.awaited.includes(this.consumer) && events.length > 0 && !this.connection.isClosed()) {
      acknowledgeProjection(
        this.connection,
        this.consumer,
        this.stream.producer,
        events.map((e) => (e as DomainEvent).id),
      );
    }
  }

  private async timed(apply: () => Promise<void>): Promise<void> {
    const stop = consumerBatchSeconds.startTimer({ stream: this.stream.name });
    try {
      await apply();
    } finally {
      stop();
    }
  }

  private count(outcome: 'applied' | 'failed' | 'quarantined', events: number): void {
    eventsConsumed.inc({ stream: this.stream.name, outcome }, events);
  }

  private async failed(received: Received, cause: unknown): Promise<void> {
    if (!isPermanentError(cause)) return this.putBack([received], cause, this.retryAfterMs);
    const id = idOf(received.message);
    const attempt = (this.attempts.get(id) ?? 0) + 1;
    // Whose count goes here is tried some times more.
    if (this.attempts.size >= maxCounted) this.attempts.clear();
    this.attempts.set(id, attempt);
    if (attempt < maxAttempts) return this.putBack([received], cause, this.retryAfterMs * 2 ** (attempt - 1));
    try {
      await this.quarantine(id, cause);
      this.count('quarantined', 1);
      this.acknowledge(received);
      this.attempts.delete(id);
    } catch (error) {
      this.logger.warn(`event ${id} cannot be quarantined yet, will try again: ${String(error)}`);
      this.putBack([received], cause, this.retryAfterMs * 2 ** maxAttempts);
    }
  }

  /** An event without an id is not of our relay: nothing is lost with it. */
  private async quarantine(id: string, cause: unknown): Promise<void> {
    const event = z.uuid().safeParse(id);
    const { quarantine } = quarantines[this.stream.producer as keyof typeof quarantines];
    const known =
      event.success &&
      (await this.bus.request(quarantine, { event: event.data, reason: reasonOf(cause) }, systemContext(this.consumer)))
        .known;
    if (known)
      this.logger.error(
        `event ${id} could not be applied ${maxAttempts} times (${reasonOf(cause)}) and is quarantined`,
      );
    else
      countDroppedMessage(
        `evt.${this.stream.producer}.>`,
        'body',
        `an event that ${this.stream.producer} knows nothing of could not be applied (${reasonOf(cause)})`,
      );
  }

  private acknowledge(received: Received): void {
    this.settle(received, () => received.message.ack());
  }

  private settle(received: Received, say: () => void): void {
    this.held.delete(received);
    if (!received.session.broken) unlessClosed(say);
  }

  private putBack(batch: Received[], cause: unknown, delayMs: number): void {
    this.count('failed', batch.length);
    const [first] = batch;
    const others = batch.length > 1 ? ` and ${batch.length - 1} after it` : '';
    this.logger.error(
      `event at ${this.stream.name}/${first!.message.seq}${others} could not be applied and will be tried again: ${String(cause)}`,
    );
    for (const received of batch) this.settle(received, () => received.message.nak(delayMs));
  }
}

/**
 * What cannot be said any more because the connection is closed is as if it had not been said: the event comes again.
 */
function unlessClosed(say: () => void): void {
  try {
    say();
  } catch (error) {
    if (!(error instanceof ClosedConnectionError)) throw error;
  }
}

/** The relay names each message after its event (relay.ts). */
function idOf({ headers, seq }: JsMsg): string {
  return headers?.get('Nats-Msg-Id').split('.')[0] || `seq ${seq}`;
}

/** `evt.<producer>.<type>` */
function typeOf({ subject }: JsMsg): string {
  return subject.split('.').slice(2).join('.');
}

/** Nothing of the event itself, which may name somebody. */
function reasonOf(cause: unknown): string {
  if (cause instanceof z.ZodError)
    return `does not fit the schema at ${[...new Set(cause.issues.map(({ path }) => path.join('.') || 'its root'))].join(', ')}`.slice(
      0,
      300,
    );
  const {
    name = 'Error',
    code,
    constraint,
  } = (cause ?? {}) as { name?: unknown; code?: unknown; constraint?: unknown };
  return [name, code, constraint]
    .filter((part) => typeof part === 'string')
    .join(' ')
    .slice(0, 300);
}
