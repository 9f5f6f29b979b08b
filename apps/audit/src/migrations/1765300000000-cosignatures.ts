import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Cosignatures1765300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The last cosignature of each witness (its name) on each log: `line` of the checkpoint `note` of `size` entries.
    // seen_size: what the witness has seen of the log, as it said itself.
    await runner.query(`
      CREATE TABLE cosignature (
        org text NOT NULL,
        witness text NOT NULL,
        tried_at timestamptz(3) NOT NULL,
        seen_size bigint NOT NULL DEFAULT 0,
        size bigint NOT NULL DEFAULT 0,
        note text,
        line text,
        PRIMARY KEY (org, witness))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE cosignature');
  }
}
