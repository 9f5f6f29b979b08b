import { randomUUID } from 'node:crypto';
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection, Status } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import type { Stream } from '@holdfast/contracts';
import type { Database } from '@holdfast/data';
import { onConnectionStatus } from '@holdfast/messaging';
import {
  consumerPending,
  outboxPublished,
  outboxUnconfirmed,
  publishFailures,
  streamBytes,
  streamMaxBytes,
} from './metrics.js';
import { maintainQuarantine } from './quarantine.js';
import {
  confirmIn,
  drop,
  dropBatchSize,
  forget,
  forgetOld,
  recordPublished,
  standing,
  unpublished,
  type Standing,
} from './relay-statements.js';
import type { StoreProbe } from './store-probe.js';

export interface OutboxRow {
  id: string;
  /** Whom the event is about. */
  aggregate: string;
  /** JetStream subject. */
  subject: string;
  /** The event as JSON. */
  payload: string;
  /** How often it came out of quarantine. */
  retries?: number;
}

/**
 * From this part of its size on, a stream may discard events before we look again: then nothing that consumers say is
 * believed.
 */
const crowdedAt = 0.75;
/** Below this part there is room for events that are published again. */
const roomyAt = 0.5;
/** Who looks less often, because the process stood still, cannot know what was discarded meanwhile. */
const lookWithinMs = 10_000;
const warnEveryMs = 10_000;
/** Of a stored message besides its body: subject, id, the store's own; rather too much. */
const overhead = 256;

/** What one unbroken connection has told. After a break none of it counts: the server may have lost its tail. */
interface Heard {
  /**
   * Part of each message's id, so that nothing of an earlier connection counts as published already: a server that was
   * killed can come back with a message whose delivery it has forgotten, and would call its repetition a duplicate.
   */
  session: string;
  acked: { id: string; seq: number }[];
  /** Ids whose acknowledgement has not come yet. */
  inFlight: Set<string>;
}

const nothing = (): Heard => ({ session: randomUUID(), acked: [], inFlight: new Set() });

/**
 * Moves outbox rows to JetStream: at once after a commit, and by a sweep for what a killed process left. A row counts
 * as confirmed when every durable consumer of the stream has acknowledged it. What is not confirmed is published again
 * on start, on every reconnect and when the stream has lost its tail, so that losing JetStream loses nothing; consumers
 * pass over what they have (PostgreSQL is the record, JetStream moves it).
 */
export class Relay {
  private readonly logger = new Logger('relay');
  private readonly js: JetStreamClient;
  private jsm?: JetStreamManager;
  private heard = nothing();
  /** The stream and consumers whose sequence numbers the rows carry; undefined until all rows were forgotten once. */
  private trusted?: { incarnation: string; ahead: number };
  private readonly timers: NodeJS.Timeout[] = [];
  private flushing?: Promise<void>;
  private republishing?: Promise<void>;
  private sweeping = false;
  private stopped = false;
  /** Bytes in the stream when we looked last, how many it may hold, and what we have published since. */
  private size = { bytes: 0, maxBytes: Infinity, since: 0, lookedAt: performance.now() };
  /**
   * The stream may have discarded what a consumer has not had. Its outbox rows are published again once there is room.
   */
  private crowded = false;
  private failures = 0;
  private warnedAt = -Infinity;

  constructor(
    private readonly stream: Stream,
    private readonly database: Database,
    private readonly connection: NatsConnection,
    private readonly probe?: StoreProbe,
  ) {
    this.js = jetstream(connection);
  }

  /** Publishes rows that have just been committed. Never throws: what fails stays for the sweep. */
  publish(rows: OutboxRow[]): void {
    const { session, acked, inFlight } = this.heard;
    for (const { id, subject, payload, retries = 0 } of rows) {
      inFlight.add(id);
      outboxPublished.inc();
      this.size.since += payload.length + overhead;
      if (this.filled > crowdedAt) this.crowded = true;
      void this.js
        // JetStream passes over an id that it has seen within two minutes, and calls the first one's place its place.
        .publish(subject, payload, { msgID: `${id}.${session}.${retries}`, timeout: 3000 })
        .then(({ seq }) => this.taken(acked, { id, seq }))
        .catch((error: unknown) => this.notTaken(error))
        .finally(() => inFlight.delete(id));
    }
  }

  /** Which part of its size the stream has filled, as far as we know. */
  private get filled(): number {
    return (this.size.bytes + this.size.since) / this.size.maxBytes;
  }

  /** As many as there is room for: what is published again shall not push out what is new. */
  private fitting(rows: OutboxRow[]): OutboxRow[] {
    const { bytes, since, maxBytes } = this.size;
    let room = maxBytes * roomyAt - bytes - since;
    const end = rows.findIndex(({ payload }) => (room -= payload.length + overhead) < 0);
    return end < 0 ? rows : rows.slice(0, end);
  }

  private taken(acked: Heard['acked'], row: Heard['acked'][number]): void {
    acked.push(row);
    this.probe?.stored(this.stream.name);
  }

  private notTaken(error: unknown): void {
    publishFailures.inc();
    this.probe?.notStored(this.stream.name, error);
    this.failures += 1;
    if (performance.now() - this.warnedAt < warnEveryMs) return;
    this.logger.warn(
      `JetStream did not take ${this.failures} events of ${this.stream.name}; they stay in the outbox and are published again: ${String(error)}`,
    );
    this.failures = 0;
    this.warnedAt = performance.now();
  }

  async start(): Promise<void> {
    this.watchReconnects();
    await this.republish();
    this.every(50, () => this.flush());
    this.every(1000, () => this.sweep(false));
    this.every(2000, () => this.confirm());
    this.every(5000, () => maintainQuarantine(this.database, this.stream.name, this.stream.consumers));
    this.every(60_000, async () => {
      await this.database.rows(forgetOld);
      await this.dropOld();
    });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.timers.forEach(clearInterval);
    await this.flush();
  }

  private every(ms: number, work: () => Promise<void>): void {
    let busy = false;
    const tick = async () => {
      if (busy || this.stopped) return;
      busy = true;
      await work().catch((error: unknown) => this.logger.debug(String(error)));
      busy = false;
    };
    this.timers.push(setInterval(() => void tick(), ms));
  }

  private watchReconnects(): void {
    const heed = ({ type }: Status): void => {
      if (type === 'disconnect') {
        this.heard = nothing();
        this.trusted = undefined;
      }
      // Not awaited: a further break must be noticed at once.
      if (type === 'reconnect') void this.republish();
    };
    onConnectionStatus(this.connection, heed, (error) =>
      this.logger.error(`lost sight of the connection's state: ${String(error)}`),
    );
  }

  /** Forgets what JetStream has acknowledged and publishes all again. Nothing is confirmed until this has succeeded. */
  private republish(): Promise<void> {
    return (this.republishing ??= this.forgetAndSweep()
      .catch((error: unknown) =>
        this.logger.warn(`could not look for events to publish again, will try again: ${String(error)}`),
      )
      .finally(() => (this.republishing = undefined)));
  }

  private async forgetAndSweep(): Promise<void> {
    const heard = (this.heard = nothing());
    this.trusted = undefined;
    // Asked before forgetting: what is lost after this shows as another incarnation.
    const { incarnation, ahead } = await this.jetStreamStands();
    await this.flushing;
    await this.database.rows(forget);
    if (heard === this.heard) {
      this.trusted = { incarnation, ahead };
      this.crowded = false;
    }
    await this.sweep(true);
  }

  /** Writes down the acknowledged sequence numbers, a batch at a time. What cannot be written is published again. */
  private async flush(): Promise<void> {
    const batch = this.heard.acked.splice(0);
    if (batch.length === 0) return;
    this.flushing = this.database.rows(recordPublished, [batch.map((a) => a.id), batch.map((a) => a.seq)]).then(
      () => undefined,
      (error: unknown) => this.logger.debug(String(error)),
    );
    await this.flushing;
  }

  private async sweep(all: boolean): Promise<void> {
    if (this.sweeping) return;
    this.sweeping = true;
    try {
      for (;;) {
        const known = [...this.heard.inFlight, ...this.heard.acked.map((a) => a.id)];
        const rows = await this.database.rows<OutboxRow>(unpublished, [all, known]);
        const fitting = this.fitting(rows);
        this.publish(fitting);
        if (fitting.length < 500 || this.stopped) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    } finally {
      this.sweeping = false;
    }
  }

  /** Confirms what the slowest consumer has, if this is still the JetStream whose sequence numbers the rows carry. */
  private async confirm(): Promise<void> {
    const { trusted } = this;
    const ahead = trusted?.ahead ?? 0;
    const [{ waiting, dubious, newest, at } = { waiting: 0, dubious: 0, newest: 0, at: new Date() }] =
      await this.database.rows<Standing>(standing, [ahead]);
    outboxUnconfirmed.set(waiting);
    const stoodStill = performance.now() - this.size.lookedAt > lookWithinMs;
    if (waiting === 0) return this.nothingWaits();
    if (!trusted || dubious > 0) return this.republish();
    const { incarnation, last, floor } = await this.jetStreamStands();
    if (stoodStill || this.filled > crowdedAt) this.crowded = true;
    if (this.crowded) return this.filled < roomyAt ? this.republish() : this.warnCrowded();
    if (incarnation === trusted.incarnation && last >= newest)
      return this.database.transaction((sql) => confirmIn(sql, [floor, at, ahead]));
    this.logger.warn(`JetStream has lost events of ${this.stream.name}; publishing them again`);
    await this.republish();
  }

  private nothingWaits(): void {
    this.crowded = false;
    this.size = { ...this.size, bytes: 0, since: 0, lookedAt: performance.now() };
    for (const consumer of this.stream.consumers) consumerPending.set({ stream: this.stream.name, consumer }, 0);
  }

  private warnCrowded(): void {
    if (performance.now() - this.warnedAt < warnEveryMs) return;
    this.warnedAt = performance.now();
    this.logger.warn(
      `the stream ${this.stream.name} is nearly full, because a consumer does not apply (holdfast_consumer_pending says which). It discards the oldest events; the outbox keeps them, and they are published again once there is room`,
    );
  }

  /**
   * Which stream and consumers these are, what the stream's last message is, and up to where all consumers have all. A
   * consumer is `ahead` when the stream has lost its tail and it has not: what is stored up to there it never delivers.
   */
  private async jetStreamStands(): Promise<{ incarnation: string; last: number; floor: number; ahead: number }> {
    this.jsm ??= await jetstreamManager(this.connection, { checkAPI: false, timeout: 2000 });
    const { jsm } = this;
    const { name, consumers } = this.stream;
    const marks = await Promise.all(consumers.map((c) => jsm.consumers.info(name, c)));
    // Asked last: a consumer that is ahead of an answer of before is nothing.
    const stream = await jsm.streams.info(name);
    const { bytes } = stream.state;
    const maxBytes = stream.config.max_bytes > 0 ? stream.config.max_bytes : Infinity;
    this.size = { bytes, maxBytes, since: 0, lookedAt: performance.now() };
    streamBytes.set({ stream: name }, bytes);
    streamMaxBytes.set({ stream: name }, maxBytes);
    for (const { name: consumer, num_pending, num_ack_pending } of marks)
      consumerPending.set({ stream: name, consumer }, num_pending + num_ack_pending);
    const delivered = Math.max(...marks.map((m) => m.delivered.stream_seq));
    return {
      // A consumer made anew begins behind the stream's first message: it has not seen what came before.
      incarnation: [stream.created, ...marks.map((m) => m.created)].join(),
      last: stream.state.last_seq,
      floor: Math.min(...marks.map((m) => m.ack_floor.stream_seq)),
      ahead: delivered > stream.state.last_seq ? delivered : 0,
    };
  }

  private async dropOld(): Promise<void> {
    for (;;) {
      const [{ gone } = { gone: 0 }] = await this.database.rows<{ gone: number }>(drop);
      if (gone < dropBatchSize || this.stopped) return;
    }
  }
}
