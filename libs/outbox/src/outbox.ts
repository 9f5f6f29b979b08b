import type { NatsConnection } from '@nats-io/transport-node';
import {
  aggregateOf,
  eventSubject,
  watermarksSchema,
  type DomainEvent,
  type ServiceName,
  type Stream,
} from '@holdfast/contracts';
import { statement, type Database, type Sql, type Statement } from '@holdfast/data';
import { readModelWaitTimeouts } from './metrics.js';
import { OutboxLane } from './outbox-lane.js';
import type { OutboxRow } from './outbox-row.js';
import type { Relay } from './relay.js';

const insert = statement(
  'outbox_insert',
  `INSERT INTO outbox (id, aggregate, subject, payload, shard)
   SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[])`,
);

/** Inserts rows in the transaction of the change. */
export async function insertOutboxRows(sql: Sql, rows: OutboxRow[]): Promise<void> {
  await sql.rows(insert, [
    rows.map((r) => r.id),
    rows.map((r) => r.aggregate),
    rows.map((r) => r.subject),
    rows.map((r) => r.payload),
    rows.map((r) => r.shard ?? null),
  ]);
}

/** Reads of this aggregate need at least this version of it in the read model. */
export interface Watermark {
  org: string;
  /** A hash, so that a watermark identifies no customer. */
  aggregate: Buffer;
  version: number;
}

/**
 * The outbox of a producing service. An event is a row that commits together with its change. The relay publishes it to
 * JetStream right after, and again until every consumer has acknowledged it.
 */
export class Outbox {
  private readonly own: OutboxLane;
  private readonly ofShards = new Map<string, OutboxLane>();
  private readonly insertWatermark?: Statement;

  constructor(
    private readonly stream: Stream,
    private readonly database: Database,
    connection: NatsConnection,
    private readonly readModel?: ServiceName,
    /** The read model's database, which has the watermarks. */
    private readonly watermarks: Sql = database,
  ) {
    this.own = new OutboxLane(stream, database, connection);
    if (readModel) {
      this.insertWatermark = statement(
        'watermark_raise',
        `INSERT INTO ${watermarksSchema}.${readModel} AS w (org, aggregate, version) VALUES ($1, $2, $3)
         ON CONFLICT (org, aggregate) DO UPDATE SET version = greatest(w.version, excluded.version)`,
      );
    }
  }

  /** Publishes the events of a shard's organizations over its bus, from when this process is connected to it. */
  addShard(shard: string, connection: NatsConnection): OutboxLane {
    const lane = new OutboxLane(this.stream, this.database, connection, shard);
    this.ofShards.set(shard, lane);
    return lane;
  }

  get relay(): Relay {
    return this.own.relay;
  }

  /** Of the service's own bus, and of the shards that this process is connected to. */
  get lanes(): OutboxLane[] {
    return [this.own, ...this.ofShards.values()];
  }

  /**
   * The row of an event, for a statement that inserts it together with the change. Throws if the event does not fit the
   * schema, since no consumer could apply it. `shard` is that of its organization, if it is not on the own bus.
   */
  row(event: DomainEvent, shard?: string): OutboxRow {
    this.stream.event.parse(event);
    return {
      id: event.id,
      aggregate: aggregateOf(event) ?? event.org,
      subject: eventSubject(this.stream.producer, event.type),
      payload: JSON.stringify(event),
      ...(shard !== undefined && { shard }),
    };
  }

  /**
   * Publishes committed rows and waits until the read model has applied them and audit has appended their records, one
   * second at most. If the read model is late, it raises `watermark` before the response leaves, so that no replica
   * serves a read from the stale model (docs/adr/0004-read-your-writes.md).
   */
  async published(rows: OutboxRow[], watermark?: Watermark): Promise<void> {
    const lanes = Map.groupBy(rows, ({ shard }) => (shard === undefined ? this.own : this.ofShards.get(shard)));
    await Promise.all(
      [...lanes].map(async ([lane, sent]) => {
        const visible = await lane?.published(sent, watermark && this.readModel);
        if (visible !== false || !watermark) return;
        readModelWaitTimeouts.inc({ read_model: this.readModel ?? '' });
        await this.raise(watermark);
      }),
    );
  }

  /** Raising a watermark that the read model has already reached is harmless: the next read deletes it. */
  async raise({ org, aggregate, version }: Watermark): Promise<void> {
    if (this.insertWatermark) await this.watermarks.rows(this.insertWatermark, [org, aggregate, version]);
  }
}
