import type { HouseEvent, ServiceName, Stream } from '@holdfast/contracts';
import { jetstream, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import type { NatsConnection, Status } from '@nats-io/transport-node';
import { isFaultOfData } from '@holdfast/data';
import { Logger } from '@nestjs/common';
import type { z } from 'zod';
import { announceApplied } from './applied.js';
import { onStatus, parseJson } from './loops.js';
import { eventsApplied } from './metrics.js';

/** Applies a batch of events, in one transaction; throws when it could not. Events may come late, twice or out of order. */
export type ApplyBatch<Event> = (events: Event[]) => Promise<void>;

const batchSize = 200;
const retryAfter = 1000;

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

/**
 * A durable consumer: takes what is there as one batch, applies it, acknowledges, and tells the producer. What cannot be
 * applied is tried again alone, and for ever: an event is never dropped, and a bad one keeps no other from being applied. But
 * until it is applied no outbox row behind it is confirmed, so a consumer puts aside what it can keep (audit does).
 */
export class EventConsumer<S extends Stream> {
  private readonly logger: Logger;
  private readonly queue: Received[] = [];
  private session: Session = { broken: true };
  private applying?: Promise<void>;
  private messages?: ConsumerMessages;
  private stopped = false;

  constructor(
    private readonly stream: S,
    private readonly consumer: ServiceName,
    private readonly connection: NatsConnection,
    private readonly apply: ApplyBatch<z.output<S['event']>>,
  ) {
    this.logger = new Logger(`consumer ${stream.name}`);
  }

  start(): void {
    this.watchBreaks();
    void this.consume();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.messages?.close();
    await this.applying;
  }

  private watchBreaks(): void {
    const heed = ({ type }: Status): void => {
      if (type !== 'disconnect') return;
      this.session.broken = true;
      this.messages?.stop();
    };
    onStatus(this.connection, heed, (error) => this.logger.error(`lost sight of the connection's state: ${String(error)}`));
  }

  private async consume(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.receive();
      } catch (error) {
        this.logger.warn(`cannot consume ${this.stream.name} yet: ${String(error)}`);
      }
      if (!this.stopped) await new Promise((resolve) => setTimeout(resolve, retryAfter / 2));
    }
  }

  /** Takes events until the connection breaks or the consumer is gone. */
  private async receive(): Promise<void> {
    // Fails at once while the server is away, where the request below would run into its timeout.
    await this.connection.flush();
    const session: Session = { broken: false };
    this.session = session;
    try {
      const consumer = await jetstream(this.connection, { timeout: 2000 }).consumers.get(this.stream.name, this.consumer);
      this.messages = await consumer.consume({ max_messages: batchSize * 2, expires: 10_000, idle_heartbeat: 1000, abort_on_missing_resource: true });
      if (this.stopped || session.broken) return this.messages.stop();
      for await (const message of this.messages) {
        this.queue.push({ message, session });
        this.applying ??= this.drain().finally(() => (this.applying = undefined));
        // Asks for no more than it can apply: what waits here is delivered again and again meanwhile.
        if (this.queue.length >= batchSize * 2) await this.applying;
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
        if (isFaultOfData(error)) await this.applyEach(batch, error);
        // While the database is away, or refuses everything, none of them fares better alone.
        else this.putBack(batch, error);
      }
    }
  }

  private async applyEach(batch: Received[], error: unknown): Promise<void> {
    if (batch.length > 1) this.logger.warn(`a batch of ${batch.length} failed, trying each alone: ${String(error)}`);
    for (const one of batch) await this.applyAll([one]).catch((cause: unknown) => this.putBack([one], cause));
  }

  private async applyAll(batch: Received[]): Promise<void> {
    const events = batch.map(({ message }) => this.stream.event.parse(parseJson(message)) as z.output<S['event']>);
    await this.apply(events);
    for (const { message, session } of batch) if (!session.broken) message.ack();
    eventsApplied.inc({ stream: this.stream.name }, batch.length);
    if (!this.connection.isClosed()) announceApplied(this.connection, this.consumer, this.stream.producer, events.map((e) => (e as HouseEvent).id));
  }

  private putBack(batch: Received[], cause: unknown): void {
    const [first] = batch;
    const others = batch.length > 1 ? ` and ${batch.length - 1} after it` : '';
    this.logger.error(`event at ${this.stream.name}/${first!.message.seq}${others} could not be applied and will be tried again: ${String(cause)}`);
    for (const { message, session } of batch) if (!session.broken) message.nak(retryAfter);
  }
}
