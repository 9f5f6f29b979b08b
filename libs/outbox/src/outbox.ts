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
import { ProjectionAcknowledgements } from '@holdfast/messaging';
import { readModelWaitTimeouts } from './metrics.js';
import { Relay, type OutboxRow } from './relay.js';
import { StoreProbe } from './store-probe.js';

/** How long a command's response waits for its read model and for the audit log. */
const acknowledgementTimeoutMs = 1000;

const insert = statement(
  'outbox_insert',
  `INSERT INTO outbox (id, aggregate, subject, payload)
   SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[])`,
);

/** Inserts rows in the transaction of the change. */
export async function insertOutboxRows(sql: Sql, rows: OutboxRow[]): Promise<void> {
  await sql.rows(insert, [
    rows.map((r) => r.id),
    rows.map((r) => r.aggregate),
    rows.map((r) => r.subject),
    rows.map((r) => r.payload),
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
  private readonly acknowledgements: ProjectionAcknowledgements;
  readonly relay: Relay;
  readonly probe: StoreProbe;
  private readonly insertWatermark?: Statement;

  constructor(
    private readonly stream: Stream,
    database: Database,
    connection: NatsConnection,
    private readonly readModel?: ServiceName,
    /** The read model's database, which has the watermarks. */
    private readonly watermarks: Sql = database,
  ) {
    this.acknowledgements = new ProjectionAcknowledgements(connection, stream.producer);
    this.probe = new StoreProbe(connection, stream.producer);
    this.relay = new Relay(stream, database, connection, this.probe);
    if (readModel) {
      this.insertWatermark = statement(
        'watermark_raise',
        `INSERT INTO ${watermarksSchema}.${readModel} AS w (org, aggregate, version) VALUES ($1, $2, $3)
         ON CONFLICT (org, aggregate) DO UPDATE SET version = greatest(w.version, excluded.version)`,
      );
    }
  }

  /**
   * The row of an event, for a statement that inserts it together with the change. Throws if the event does not fit the
   * schema, since no consumer could apply it.
   */
  row(event: DomainEvent): OutboxRow {
    this.stream.event.parse(event);
    return {
      id: event.id,
      aggregate: aggregateOf(event) ?? event.org,
      subject: eventSubject(this.stream.producer, event.type),
      payload: JSON.stringify(event),
    };
  }

  /**
   * Publishes committed rows and waits until the read model has applied them and audit has appended their records, one
   * second at most. If the read model is late, it raises `watermark` before the response leaves, so that no replica
   * serves a read from the stale model (docs/adr/0004-read-your-writes.md).
   */
  async published(rows: OutboxRow[], watermark?: Watermark): Promise<void> {
    const last = rows.at(-1);
    if (!last) return;
    const audited = this.acknowledgements.wait('audit', last.id, acknowledgementTimeoutMs);
    const visible =
      watermark && this.readModel
        ? this.acknowledgements.wait(this.readModel, last.id, acknowledgementTimeoutMs)
        : Promise.resolve(true);
    this.relay.publish(rows);
    if (!(await visible) && watermark) {
      readModelWaitTimeouts.inc({ read_model: this.readModel ?? '' });
      await this.raise(watermark);
    }
    await audited;
  }

  /** Raising a watermark that the read model has already reached is harmless: the next read deletes it. */
  async raise({ org, aggregate, version }: Watermark): Promise<void> {
    if (this.insertWatermark) await this.watermarks.rows(this.insertWatermark, [org, aggregate, version]);
  }
}
