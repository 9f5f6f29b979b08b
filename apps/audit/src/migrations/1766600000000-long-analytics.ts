import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Roll-ups of 16 and 256 days, so that a sum from the beginning of the log reads few of them. Until the next entry of a
 * log is counted, and after a version without them has counted, `long_seq` differs from `seq`, and days are read.
 */
export class LongAnalytics1766600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE analytics_count ALTER COLUMN minutes TYPE integer');
    await runner.query('ALTER TABLE analytics_cursor ADD COLUMN long_seq bigint NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM analytics_count WHERE minutes > 1440');
    await runner.query('ALTER TABLE analytics_count ALTER COLUMN minutes TYPE smallint');
    await runner.query('ALTER TABLE analytics_cursor DROP COLUMN long_seq');
  }
}
