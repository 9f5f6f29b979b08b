import type { NatsConnection } from '@nats-io/transport-node';
import type { ServiceName, Stream } from '@holdfast/contracts';
import type { Database } from '@holdfast/data';
import { ProjectionAcknowledgements } from '@holdfast/messaging';
import type { OutboxRow } from './outbox-row.js';
import { Relay } from './relay.js';
import { StoreProbe } from './store-probe.js';

/** How long a command's response waits for its read model and for the audit log. */
const acknowledgementTimeoutMs = 1000;

/** The part of an outbox whose events go over one bus: the service's own, or that of a shard. */
export class OutboxLane {
  private readonly acknowledgements: ProjectionAcknowledgements;
  readonly relay: Relay;
  readonly probe: StoreProbe;

  constructor(stream: Stream, database: Database, connection: NatsConnection, shard?: string) {
    this.acknowledgements = new ProjectionAcknowledgements(connection, stream.producer);
    this.probe = new StoreProbe(connection, stream.producer, shard === undefined ? {} : { shard });
    this.relay = new Relay(stream, database, connection, this.probe, shard ?? null);
  }

  /**
   * Publishes committed rows, and waits until audit has appended their records and `readModel` has applied them, one
   * second at most. Resolves to whether `readModel` has.
   */
  async published(rows: OutboxRow[], readModel: ServiceName | undefined): Promise<boolean> {
    const { id } = rows.at(-1)!;
    const audited = this.acknowledgements.wait('audit', id, acknowledgementTimeoutMs);
    const visible = readModel
      ? this.acknowledgements.wait(readModel, id, acknowledgementTimeoutMs)
      : Promise.resolve(true);
    this.relay.publish(rows);
    await audited;
    return visible;
  }
}
