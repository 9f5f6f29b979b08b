import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Responses stored under Idempotency-Keys, for a service's migrations. `subject` is the customer or person whose
 * erasure empties the response: only the hash of the key stays.
 */
export const idempotencyTables: readonly string[] = [
  `CREATE TABLE idempotency (
     app text NOT NULL,
     key_hash bytea NOT NULL,
     fingerprint bytea,
     response bytea,
     subject uuid,
     event uuid NOT NULL,
     version integer NOT NULL,
     created_at timestamptz(3) NOT NULL DEFAULT now(),
     PRIMARY KEY (app, key_hash))`,
  'CREATE INDEX idempotency_subject ON idempotency (subject) WHERE subject IS NOT NULL',
  'CREATE INDEX idempotency_age ON idempotency (created_at)',
];

/** By the organization its stored responses are found when it moves to another shard. Null: stored before this. */
export class IdempotencyOrganization1764900000100 implements MigrationInterface {
  name = 'IdempotencyOrganization1764900000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency ADD COLUMN org text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency DROP COLUMN org');
  }
}
