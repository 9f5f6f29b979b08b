import { jetstream, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection, Status } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import type { Stream } from '@holdfast/contracts';
import type { Database } from '@holdfast/data';
import { onConnectionStatus } from '@holdfast/messaging';
import { everyTick, type Ticking } from '@holdfast/platform';
import { readJetStreamState, type JetStreamState } from './jetstream-state.js';
import { consumerPending, outboxUnconfirmed, publishFailures } from './metrics.js';
import type { OutboxRow } from './outbox-row.js';
import { Publications } from './publications.js';
import { maintainQuarantine } from './quarantine.js';
import {
  confirmApplied,
  confirmUnrecordedRows,
  deleteConfirmed,
  dropBatchSize,
  maxSweepRows,
  readBacklog,
  recordSequenceNumbers,
  resetOldPublished,
  resetPublished,
  unpublished,
  type AppliedUpTo,
  type Backlog,
} from './relay-statements.js';
import type { StoreProbe } from './store-probe.js';
import { StreamRoom } from './stream-room.js';

const warnIntervalMs = 10_000;
/** How often it does what is to be done again and again. Tests that wait for it choose shorter intervals. */
const intervalsMs = { flush: 250, sweep: 1000, confirm: 2000, metrics: 15_000, quarantine: 5000, old: 60_000 };
/**
 * How long the sequence number of an event stays in memory only: consumers have usually applied it by then, and its row
 * is deleted without an update before. Below the second after which another replica publishes such a row again.
 */
const recordAfterMs = 400;
export type RelayIntervalsMs = typeof intervalsMs;
type Trusted = Pick<JetStreamState, 'incarnation' | 'ahead'>;

/**
 * Publishes outbox rows to JetStream: right after their commit, or by a sweep if the process was killed in between. A
 * row is confirmed when every durable consumer of the stream has acknowledged it. Unconfirmed rows are published again
 * at start, after every reconnect, and when the stream has lost its last messages. So losing JetStream's files loses no
 * event; consumers skip events that they have applied.
 */
export class Relay {
  private readonly logger = new Logger('relay');
  private jsm?: JetStreamManager;
  private publications: Publications;
  /** The stream and consumers that the sequence numbers in the rows belong to; undefined until all rows were reset. */
  private trusted?: Trusted;
  private readonly ticking: Ticking[] = [];
  private flushing?: Promise<void>;
  private republishing?: Promise<void>;
  private sweeping = false;
  private stopped = false;
  private readonly room = new StreamRoom();
  private failures = 0;
  private warnedAt = -Infinity;

  constructor(
    private readonly stream: Stream,
    private readonly database: Database,
    private readonly connection: NatsConnection,
    private readonly probe?: StoreProbe,
    /** The shard whose bus `connection` is; null for the service's own bus. */
    private readonly shard: string | null = null,
  ) {
    this.publications = this.newPublications();
  }

  /** Publishes rows that have just been committed. Never throws: the sweep publishes rows that failed. */
  publish(rows: OutboxRow[]): void {
    for (const { payload } of rows) this.room.takePublished(payload);
    this.publications.publish(rows);
  }

  private newPublications(): Publications {
    return new Publications(jetstream(this.connection), this.stream, {
      stored: () => this.probe?.stored(this.stream.name),
      notStored: (error, events) => this.recordFailure(error, events),
    });
  }

  /** Of metrics: a service with the bus of one shard only has none. */
  private get labels(): { shard?: string } {
    return this.shard === null ? {} : { shard: this.shard };
  }

  private recordFailure(error: unknown, events: number): void {
    publishFailures.inc(events);
    this.probe?.notStored(this.stream.name, error);
    this.failures += events;
    if (performance.now() - this.warnedAt < warnIntervalMs) return;
    this.logger.warn(
      `JetStream did not store ${this.failures} events of ${this.stream.name}. ` +
        `They stay in the outbox and are published again: ${String(error)}`,
    );
    this.failures = 0;
    this.warnedAt = performance.now();
  }

  async start(chosenMs: Partial<RelayIntervalsMs> = {}): Promise<void> {
    const everyMs = { ...intervalsMs, ...chosenMs };
    this.watchReconnects();
    await this.republish();
    this.every(everyMs.flush, () => this.flush());
    this.every(everyMs.sweep, () => this.sweep(false));
    this.every(everyMs.confirm, () => this.confirm());
    // confirm() reads the state while something is unconfirmed. The size of a stream also changes when nothing is.
    this.every(everyMs.metrics, async () => void (await this.showJetStreamState()));
    this.every(everyMs.quarantine, () => maintainQuarantine(this.database, this.stream.name, this.stream.consumers));
    this.every(everyMs.old, async () => {
      await this.database.rows(resetOldPublished);
      await this.deleteConfirmed();
    });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.ticking.forEach(({ stop }) => stop());
    await this.flushing;
    // Other replicas publish again what is not confirmed. After a rollback they are of a version that sends each event
    // alone, as consumers of that version need it.
    await this.database.rows(resetPublished, [this.shard]).catch((error: unknown) => this.logger.debug(String(error)));
  }

  private every(intervalMs: number, work: () => Promise<void>): void {
    let busy = false;
    const tick = async () => {
      if (busy || this.stopped) return;
      busy = true;
      await work().catch((error: unknown) => this.logger.debug(String(error)));
      busy = false;
    };
    this.ticking.push(everyTick(intervalMs, () => void tick()));
  }

  private watchReconnects(): void {
    const handle = ({ type }: Status): void => {
      if (type === 'disconnect') {
        this.publications = this.newPublications();
        this.trusted = undefined;
      }
      // Not awaited, so that a further disconnect is handled at once.
      if (type === 'reconnect') void this.republish();
    };
    onConnectionStatus(this.connection, handle, (error) =>
      this.logger.error(`Failed to follow the state of the NATS connection: ${String(error)}`),
    );
  }

  /** Resets all rows and publishes them again. Nothing is confirmed until this has succeeded. */
  private republish(): Promise<void> {
    return (this.republishing ??= this.resetAndSweep()
      .catch((error: unknown) =>
        this.logger.warn(
          `Failed to publish unconfirmed events of ${this.stream.name} again; retrying in 2 s: ${String(error)}`,
        ),
      )
      .finally(() => (this.republishing = undefined)));
  }

  private async resetAndSweep(): Promise<void> {
    const publications = (this.publications = this.newPublications());
    this.trusted = undefined;
    // Read before the reset: if JetStream loses events after this, its incarnation differs at the next confirm().
    const { incarnation, ahead } = await this.readJetStreamState();
    await this.flushing;
    await this.database.rows(resetPublished, [this.shard]);
    if (publications === this.publications) {
      this.trusted = { incarnation, ahead };
      this.room.isCrowded = false;
    }
    await this.sweep(true);
  }

  private async flush(): Promise<void> {
    await this.record(recordAfterMs);
    await this.confirmUnrecorded();
  }

  /** Stores sequence numbers in their rows. If that fails, the rows stay unpublished and are published again. */
  private async record(afterMs: number): Promise<void> {
    const { publications } = this;
    const due = publications.acknowledged(afterMs);
    if (due.length === 0) return;
    this.flushing = recordSequenceNumbers(this.database, due).catch((error: unknown) =>
      this.logger.debug(String(error)),
    );
    await this.flushing;
    publications.forget(due.map(({ id }) => id));
  }

  /** Deletes the rows of events that every consumer has applied before their sequence numbers were recorded. */
  private async confirmUnrecorded(): Promise<void> {
    const { publications, trusted } = this;
    const events = publications.acknowledged();
    if (events.length === 0 || !trusted) return;
    const state = await this.readJetStreamState();
    const newest = Math.max(...events.map(({ seq }) => seq));
    // What has gone wrong is for confirm() to handle, which reads recorded rows.
    if (!this.isTrusted(state, trusted, newest) || this.room.isCrowded || publications !== this.publications) return;
    publications.forget(await confirmUnrecordedRows(this.database, this.appliedUpTo(state, trusted), events));
  }

  /** Whether sequence numbers up to `newest` are of this stream and these consumers, and the stream has lost none. */
  private isTrusted({ incarnation, last }: JetStreamState, trusted: Trusted, newest: number): boolean {
    return incarnation === trusted.incarnation && last >= newest;
  }

  private appliedUpTo({ floor, filtered }: JetStreamState, { ahead }: Trusted): AppliedUpTo {
    return { floor, filtered, ahead, retainedSubjects: this.stream.producerConfirmedSubjects };
  }

  private async sweep(all: boolean): Promise<void> {
    if (this.sweeping) return;
    this.sweeping = true;
    try {
      for (;;) {
        const values = [all, this.publications.ids, this.shard];
        const rows = await this.database.rows<OutboxRow & { read: number }>(unpublished, values);
        const fitting = this.room.fitting(rows);
        this.publish(fitting);
        const read = rows[0]?.read ?? 0;
        const hasMore = read === maxSweepRows || rows.length < read;
        if (!hasMore || fitting.length < rows.length || this.stopped) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    } finally {
      this.sweeping = false;
    }
  }

  /** Confirms what every consumer has acknowledged, if the rows' sequence numbers are still those of this JetStream. */
  private async confirm(): Promise<void> {
    const { trusted } = this;
    const ahead = trusted?.ahead ?? 0;
    const [
      { unconfirmed, undeliverable, newest, at } = { unconfirmed: 0, undeliverable: 0, newest: 0, at: new Date() },
    ] = await this.database.rows<Backlog>(readBacklog, [ahead, this.shard]);
    outboxUnconfirmed.set(this.labels, unconfirmed);
    if (unconfirmed === 0) return this.recordEmpty();
    if (!trusted || undeliverable > 0) return this.republish();
    const state = await this.readJetStreamState();
    if (this.room.isCrowded) return this.room.isRoomy ? this.republish() : this.warnCrowded();
    if (this.isTrusted(state, trusted, newest)) {
      const rows = { publishedBefore: at, shard: this.shard };
      return this.database.transaction((sql) => confirmApplied(sql, this.appliedUpTo(state, trusted), rows));
    }
    this.logger.warn(`JetStream has lost events of ${this.stream.name}; publishing them again`);
    await this.republish();
  }

  private recordEmpty(): void {
    this.room.takeEmpty();
    for (const consumer of this.stream.consumers)
      consumerPending.set({ ...this.labels, stream: this.stream.name, consumer }, 0);
  }

  private async showJetStreamState(): Promise<JetStreamState> {
    this.jsm ??= await jetstreamManager(this.connection, { checkAPI: false, timeout: 2000 });
    return readJetStreamState(this.jsm, this.stream, this.labels);
  }

  private warnCrowded(): void {
    if (performance.now() - this.warnedAt < warnIntervalMs) return;
    this.warnedAt = performance.now();
    this.logger.warn(
      `the stream ${this.stream.name} is nearly full, because a consumer does not apply ` +
        '(holdfast_consumer_pending says which). It discards the oldest events; the outbox keeps them, ' +
        'and they are published again once there is room',
    );
  }

  private async readJetStreamState(): Promise<JetStreamState> {
    const state = await this.showJetStreamState();
    this.room.takeState(state);
    return state;
  }

  private async deleteConfirmed(): Promise<void> {
    for (;;) {
      const [{ deleted } = { deleted: 0 }] = await this.database.rows<{ deleted: number }>(deleteConfirmed, [
        this.stream.producerConfirmedSubjects,
      ]);
      if (deleted < dropBatchSize || this.stopped) return;
    }
  }
}
