import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who created a reader of the stream of entries. Readers of before have no maker: the operator created them. */
export class ReaderMakers1767000000200 implements MigrationInterface {
  name = 'ReaderMakers1767000000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE audit_reader ADD COLUMN maker_type text, ADD COLUMN maker_id text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE audit_reader DROP COLUMN maker_type, DROP COLUMN maker_id');
  }
}
