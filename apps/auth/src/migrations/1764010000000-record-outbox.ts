import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `record_outbox`: audit records of changes, each committed with its change, until audit has them. A record may name a
 * customer: it is sealed.
 */
export class RecordOutbox1764010000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE record_outbox (
        id uuid PRIMARY KEY,
        org text NOT NULL,
        record bytea NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now())`);
    await runner.query('CREATE INDEX record_outbox_created ON record_outbox (created_at, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE record_outbox');
  }
}
