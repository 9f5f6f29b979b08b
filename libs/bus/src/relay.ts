import { randomUUID } from 'node:crypto';
import type { Stream } from '@holdfast/contracts';
import { statement, type Database, type Sql } from '@holdfast/data';
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection, Status } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { onStatus } from './loops.js';
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
/** Only what was published before JetStream was asked (`$2`): sequence numbers begin anew when it has lost its files. */
const confirm = statement(
  'outbox_confirm',
  `WITH done AS (UPDATE outbox SET confirmed = true WHERE NOT confirmed AND stream_seq > $3 AND stream_seq <= $1 AND published_at < $2 RETURNING aggregate)
   SELECT DISTINCT aggregate FROM done d WHERE EXISTS (SELECT FROM outbox e WHERE e.aggregate = d.aggregate AND e.subject LIKE '%.subject.eras%')`,
);
/** What was on its way when its customer was erased has arrived, the receipt at last; word of the erasure stays until the receipt is written. */
const dropErased = statement('outbox_drop_erased', `DELETE FROM outbox WHERE aggregate = ANY ($1) AND confirmed AND subject NOT LIKE '%.subject.erasing'`);
const standing = statement(
  'outbox_standing',
  `SELECT count(*)::int AS waiting, count(*) FILTER (WHERE stream_seq <= $1)::int AS dubious, coalesce(max(stream_seq), 0) AS newest, now() AS at
   FROM outbox WHERE NOT confirmed`,
);
const dropAtOnce = 5000;
/** An erasure stays until its producer has written the receipt. */
const drop = statement(
  'outbox_drop',
  `WITH gone AS (
     DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE confirmed AND created_at < now() - interval '1 hour' AND subject NOT LIKE '%.subject.erasing' LIMIT ${dropAtOnce}) RETURNING 1
   ) SELECT count(*)::int AS gone FROM gone`,
);

interface Standing {
  waiting: number;
  /** Rows whose place a consumer had passed before they got it. */
  dubious: number;
  newest: number;
  at: Date;
}

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
 * Moves outbox rows to JetStream: at once after a commit, and by a sweep for what a killed process left. A row counts as
 * confirmed when every durable consumer of the stream has acknowledged it. What is not confirmed is published again on
 * start, on every reconnect and when the stream has lost its tail, so that losing JetStream loses nothing; consumers
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

  constructor(
    private readonly stream: Stream,
    private readonly database: Database,
    private readonly connection: NatsConnection,
  ) {
    this.js = jetstream(connection);
  }

  /** Publishes rows that have just been committed. Never throws: what fails stays for the sweep. */
  publish(rows: OutboxRow[]): void {
    const { session, acked, inFlight } = this.heard;
    for (const { id, subject, payload } of rows) {
      inFlight.add(id);
      outboxPublished.inc();
      void this.js
        .publish(subject, payload, { msgID: `${id}.${session}`, timeout: 3000 })
        .then(({ seq }) => void acked.push({ id, seq }))
        .catch((error: unknown) => this.logger.debug(`event ${id} stays in the outbox for now: ${String(error)}`))
        .finally(() => inFlight.delete(id));
    }
  }

  async start(): Promise<void> {
    this.watchReconnects();
    await this.republish();
    this.every(50, () => this.flush());
    this.every(1000, () => this.sweep(false));
    this.every(2000, () => this.confirm());
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
    onStatus(this.connection, heed, (error) => this.logger.error(`lost sight of the connection's state: ${String(error)}`));
  }

  /** Forgets what JetStream has acknowledged and publishes all again. Nothing is confirmed until this has succeeded. */
  private republish(): Promise<void> {
    return (this.republishing ??= this.forgetAndSweep()
      .catch((error: unknown) => this.logger.warn(`could not look for events to publish again, will try again: ${String(error)}`))
      .finally(() => (this.republishing = undefined)));
  }

  private async forgetAndSweep(): Promise<void> {
    const heard = (this.heard = nothing());
    this.trusted = undefined;
    // Asked before forgetting: what is lost after this shows as another incarnation.
    const { incarnation, ahead } = await this.jetStreamStands();
    await this.flushing;
    await this.database.rows(forget);
    if (heard === this.heard) this.trusted = { incarnation, ahead };
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
        this.publish(rows);
        if (rows.length < 500 || this.stopped) return;
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
    const [{ waiting, dubious, newest, at } = { waiting: 0, dubious: 0, newest: 0, at: new Date() }] = await this.database.rows<Standing>(standing, [ahead]);
    outboxUnconfirmed.set(waiting);
    if (waiting === 0) return;
    if (!trusted || dubious > 0) return this.republish();
    const { incarnation, last, floor } = await this.jetStreamStands();
    if (incarnation === trusted.incarnation && last >= newest) return this.database.transaction((sql) => confirmIn(sql, [floor, at, ahead]));
    this.logger.warn(`JetStream has lost events of ${this.stream.name}; publishing them again`);
    await this.republish();
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
      if (gone < dropAtOnce || this.stopped) return;
    }
  }
}

async function confirmIn(sql: Sql, upTo: unknown[]): Promise<void> {
  const erased = await sql.rows<{ aggregate: string }>(confirm, upTo);
  if (erased.length > 0) await sql.rows(dropErased, [erased.map((row) => row.aggregate)]);
}
