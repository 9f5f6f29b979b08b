import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The outbox of a producing service, for its migrations. `stream_seq` is the event's sequence number in JetStream, once
 * JetStream has acknowledged it. A row is deleted when every consumer has applied its event. The row of an event that
 * its producer confirms itself becomes `confirmed` instead, and the producer deletes it. The partial indexes keep each
 * sweep as small as its work.
 */
export const outboxTables: readonly string[] = [
  `CREATE TABLE outbox (
     id uuid PRIMARY KEY,
     aggregate text NOT NULL,
     subject text NOT NULL,
     payload text NOT NULL,
     created_at timestamptz(3) NOT NULL DEFAULT now(),
     stream_seq bigint,
     published_at timestamptz(3),
     confirmed boolean NOT NULL DEFAULT false)`,
  'CREATE INDEX outbox_unpublished ON outbox (created_at, id) WHERE stream_seq IS NULL',
  'CREATE INDEX outbox_unconfirmed ON outbox (stream_seq) WHERE NOT confirmed',
  'CREATE INDEX outbox_old ON outbox (created_at) WHERE confirmed',
];

/**
 * The shard whose services get the event. Null: those of the service's own bus, as for every row of a service that
 * belongs to a shard, and for directory's rows of the shard `main`.
 */
export class OutboxShards1764720000000 implements MigrationInterface {
  name = 'OutboxShards1764720000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbox ADD COLUMN shard text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbox DROP COLUMN shard');
  }
}
