import type { NatsConnection } from '@nats-io/transport-node';
import { watermarksSchema, type DomainEvent, type ServiceName, type Stream } from '@holdfast/contracts';
import { statement, type Database, type Sql, type Statement } from '@holdfast/data';
import { ProjectionAcknowledgements } from '@holdfast/messaging';
import { readModelWaitTimeouts } from './metrics.js';
import { Relay, type OutboxRow } from './relay.js';
import { StoreProbe } from './store-probe.js';

/** How long a command's answer is held for its read model and for its place in the audit log. */
const visibleWithin = 1000;

const insert = statement(
  'outbox_insert',
  'INSERT INTO outbox (id, aggregate, subject, payload) SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[])',
);

/** Inserts rows in the transaction of the change that they tell of. */
export async function insertOutboxRows(sql: Sql, rows: OutboxRow[]): Promise<void> {
  await sql.rows(insert, [
    rows.map((r) => r.id),
    rows.map((r) => r.aggregate),
    rows.map((r) => r.subject),
    rows.map((r) => r.payload),
  ]);
}

/** One aggregate whose state must be visible in a read model. */
export interface Watermark {
  org: string;
  /** A hash, so that a mark names nobody. */
  aggregate: Buffer;
  version: number;
}

/**
 * The outbox of a producing service. An event is a row that commits with the change that it tells of; the relay hands
 * it to JetStream right after, and again until every consumer has confirmed it.
 */
export class Outbox {
  private readonly notices: ProjectionAcknowledgements;
  readonly relay: Relay;
  readonly probe: StoreProbe;
  private readonly raiseWatermarkStatement?: Statement;

  constructor(
    private readonly stream: Stream,
    private readonly database: Database,
    connection: NatsConnection,
    private readonly readModel?: ServiceName,
  ) {
    this.notices = new ProjectionAcknowledgements(connection, stream.producer);
    this.probe = new StoreProbe(connection, stream.producer);
    this.relay = new Relay(stream, database, connection, this.probe);
    if (readModel) {
      this.raiseWatermarkStatement = statement(
        'mark_raise',
        `INSERT INTO ${watermarksSchema}.${readModel} AS m (org, aggregate, version) VALUES ($1, $2, $3)
         ON CONFLICT (org, aggregate) DO UPDATE SET version = greatest(m.version, excluded.version)`,
      );
    }
  }

  /**
   * The row of an event, for a statement that inserts it together with the change. Throws for one that its consumers
   * could not read: it would stand in the way of all that comes after it.
   */
  row(event: DomainEvent): OutboxRow {
    this.stream.event.parse(event);
    const { subject, app, setting } = event as { subject?: string; app?: string; setting?: string };
    return {
      id: event.id,
      aggregate: subject ?? app ?? setting ?? event.org,
      subject: `evt.${this.stream.producer}.${event.type}`,
      payload: JSON.stringify(event),
    };
  }

  /**
   * Publishes committed rows and holds the answer until the read model has applied them and audit has given the record
   * its place, one second at most. When the read model is late, `mark` is raised before the answer leaves, so that no
   * replica answers a read from what it has (docs/adr/0004-read-your-writes.md).
   */
  async published(rows: OutboxRow[], mark?: Watermark): Promise<void> {
    const last = rows.at(-1);
    if (!last) return;
    const audited = this.notices.wait('audit', last.id, visibleWithin);
    const visible =
      mark && this.readModel ? this.notices.wait(this.readModel, last.id, visibleWithin) : Promise.resolve(true);
    this.relay.publish(rows);
    if (!(await visible) && mark) {
      readModelWaitTimeouts.inc({ read_model: this.readModel ?? '' });
      await this.raise(mark);
    }
    await audited;
  }

  /** Says that the read model may be behind this. Harmless when it is not: the next read finds out. */
  async raise({ org, aggregate, version }: Watermark): Promise<void> {
    if (this.raiseWatermarkStatement) await this.database.rows(this.raiseWatermarkStatement, [org, aggregate, version]);
  }
}
