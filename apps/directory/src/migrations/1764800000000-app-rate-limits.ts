import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Quotas that an operator has set for an app, or for every app of an organization. */
export class AppRateLimits1764800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE organization ADD COLUMN rate_limits jsonb');
    await runner.query('ALTER TABLE app ADD COLUMN rate_limits jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app DROP COLUMN rate_limits');
    await runner.query('ALTER TABLE organization DROP COLUMN rate_limits');
  }
}
