import type { HouseEvent, ServiceName, Stream } from '@holdfast/contracts';
import { jetstream, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import type { z } from 'zod';
import { announceApplied } from './applied.js';
import { eventsApplied } from './metrics.js';

/** Applies a batch of events, in one transaction; throws when it could not. Events may come late, twice or out of order. */
export type ApplyBatch<Event> = (events: Event[]) => Promise<void>;

const batchSize = 200;
const retryAfter = 1000;

/**
 * A durable consumer: takes what is there as one batch, applies it, acknowledges, and tells the producer. What cannot be
 * applied is tried again alone, and for ever: an event is never dropped, and a bad one holds up no other.
 */
export class EventConsumer<S extends Stream> {
  private readonly logger: Logger;
  private queue: JsMsg[] = [];
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
    void this.consume();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.messages?.close();
    await this.applying;
  }

  private async consume(): Promise<void> {
    while (!this.stopped) {
      try {
        const consumer = await jetstream(this.connection).consumers.get(this.stream.name, this.consumer);
        this.messages = await consumer.consume({ max_messages: batchSize * 2, expires: 10_000, idle_heartbeat: 1000, abort_on_missing_resource: true });
        for await (const message of this.messages) {
          this.queue.push(message);
          this.applying ??= this.drain().finally(() => (this.applying = undefined));
        }
      } catch (error) {
        this.logger.warn(`cannot consume ${this.stream.name} yet: ${String(error)}`);
      }
      if (!this.stopped) await new Promise((resolve) => setTimeout(resolve, retryAfter / 2));
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
        this.logger.warn(`a batch of ${batch.length} failed, trying each alone: ${String(error)}`);
        for (const message of batch) await this.applyAll([message]).catch((cause: unknown) => this.putBack(message, cause));
      }
    }
  }

  private async applyAll(batch: JsMsg[]): Promise<void> {
    const events = batch.map((m) => this.stream.event.parse(m.json()) as z.output<S['event']>);
    await this.apply(events);
    for (const message of batch) message.ack();
    eventsApplied.inc({ stream: this.stream.name }, batch.length);
    announceApplied(this.connection, this.consumer, this.stream.producer, events.map((e) => (e as HouseEvent).id));
  }

  private putBack(message: JsMsg, cause: unknown): void {
    this.logger.error(`event at ${this.stream.name}/${message.seq} could not be applied and will be tried again: ${String(cause)}`);
    message.nak(retryAfter);
  }
}
