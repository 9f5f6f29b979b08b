import type { Stream } from '@holdfast/contracts';
import { statement, type Database } from '@holdfast/data';
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { outboxPublished, outboxUnconfirmed } from './metrics.js';

export interface OutboxRow {
  id: string;
  /** Whom the event is about. */
  aggregate: string;
  /** JetStream subject. */
  subject: string;
  /** The event as JSON. */
  payload: string;
}

const recordPublished = statement(
  'outbox_published',
  `UPDATE outbox SET stream_seq = p.seq, published_at = now()
   FROM unnest($1::uuid[], $2::bigint[]) AS p(id, seq) WHERE outbox.id = p.id AND outbox.stream_seq IS NULL`,
);
/** A row younger than a second is on its way already, unless `$1` says to take all. */
const unpublished = statement(
  'outbox_unpublished',
  `SELECT id, aggregate, subject, payload FROM outbox
   WHERE stream_seq IS NULL AND ($1 OR created_at < now() - interval '1 second') AND id <> ALL ($2::uuid[]) ORDER BY created_at, id LIMIT 500`,
);
const forget = statement('outbox_forget', 'UPDATE outbox SET stream_seq = NULL, published_at = NULL WHERE NOT confirmed AND stream_seq IS NOT NULL');
/** JetStream drops what is older than its max age: tell it again in time. */
const forgetOld = statement(
  'outbox_forget_old',
  `UPDATE outbox SET stream_seq = NULL, published_at = NULL WHERE NOT confirmed AND published_at < now() - interval '20 hours'`,
);
const confirm = statement('outbox_confirm', 'UPDATE outbox SET confirmed = true WHERE NOT confirmed AND stream_seq <= $1');
const standing = statement(
  'outbox_standing',
  'SELECT count(*)::int AS waiting, coalesce(max(stream_seq), 0) AS newest FROM outbox WHERE NOT confirmed',
);
const drop = statement(
  'outbox_drop',
  `DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE confirmed AND created_at < now() - interval '1 hour' LIMIT 5000)`,
);

/**
 * Moves outbox rows to JetStream: at once after a commit, and by a sweep for what a killed process left. A row counts as
 * confirmed when every durable consumer of the stream has acknowledged it. What is not confirmed is published again on
 * start, on every reconnect and when the stream has lost its tail, so that losing JetStream loses nothing; consumers
 * pass over what they have (PostgreSQL is the record, JetStream moves it).
 */
export class Relay {
  private readonly logger = new Logger('relay');
  private readonly js: JetStreamClient;
  private jsm?: JetStreamManager;
  private acked: { id: string; seq: number }[] = [];
  /** Ids whose acknowledgement has not come yet. */
  private readonly inFlight = new Set<string>();
  private readonly timers: NodeJS.Timeout[] = [];
  private flushing?: Promise<void>;
  private sweeping = false;
  private stopped = false;

  constructor(
    private readonly stream: Stream,
    private readonly database: Database,
    private readonly connection: NatsConnection,
  ) {
    this.js = jetstream(connection);
  }

  /** Publishes rows that have just been committed. Never throws: what fails stays for the sweep. */
  publish(rows: OutboxRow[]): void {
    for (const { id, subject, payload } of rows) {
      this.inFlight.add(id);
      outboxPublished.inc();
      void this.js
        .publish(subject, payload, { msgID: id, timeout: 3000 })
        .then(({ seq }) => {
          this.acked.push({ id, seq });
        })
        .catch((error: unknown) => this.logger.debug(`event ${id} stays in the outbox for now: ${String(error)}`))
        .finally(() => this.inFlight.delete(id));
    }
  }

  async start(): Promise<void> {
    this.jsm = await jetstreamManager(this.connection, { checkAPI: false });
    void this.watchReconnects();
    await this.republish();
    this.every(50, () => this.flush());
    this.every(1000, () => this.sweep(false));
    this.every(2000, () => this.confirm());
    this.every(60_000, async () => {
      await this.database.rows(drop);
      await this.database.rows(forgetOld);
    });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.timers.forEach(clearInterval);
    await this.flush().catch(() => undefined);
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

  private async watchReconnects(): Promise<void> {
    for await (const status of this.connection.status()) {
      // Sequence numbers acknowledged before mean nothing after: the server may have lost its tail.
      if (status.type === 'disconnect') this.acked = [];
      if (status.type === 'reconnect') await this.republish();
    }
  }

  private async republish(): Promise<void> {
    try {
      await this.flushing;
      await this.database.rows(forget);
      await this.sweep(true);
    } catch (error) {
      this.logger.warn(`could not look for events to publish again, will sweep: ${String(error)}`);
    }
  }

  /** Writes down the acknowledged sequence numbers, a batch at a time. */
  private async flush(): Promise<void> {
    const batch = this.acked;
    if (batch.length === 0) return;
    this.acked = [];
    this.flushing = this.database
      .rows(recordPublished, [batch.map((a) => a.id), batch.map((a) => a.seq)])
      .then(() => undefined);
    await this.flushing;
  }

  private async sweep(all: boolean): Promise<void> {
    if (this.sweeping) return;
    this.sweeping = true;
    try {
      for (;;) {
        const known = [...this.inFlight, ...this.acked.map((a) => a.id)];
        const rows = await this.database.rows<OutboxRow>(unpublished, [all, known]);
        this.publish(rows);
        if (rows.length < 500 || this.stopped) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    } finally {
      this.sweeping = false;
    }
  }

  /** Asks JetStream how far the slowest consumer is, and whether the stream still has what we gave it. */
  private async confirm(): Promise<void> {
    const [{ waiting, newest } = { waiting: 0, newest: 0 }] = await this.database.rows<{ waiting: number; newest: number }>(standing);
    outboxUnconfirmed.set(waiting);
    if (waiting === 0 || !this.jsm) return;
    const { name, consumers } = this.stream;
    const [info, ...marks] = await Promise.all([this.jsm.streams.info(name), ...consumers.map((c) => this.jsm!.consumers.info(name, c))]);
    if (info.state.last_seq < newest) {
      this.logger.warn(`JetStream has lost events of ${name}; publishing them again`);
      return this.republish();
    }
    await this.database.rows(confirm, [Math.min(...marks.map((m) => m.ack_floor.stream_seq))]);
  }
}
