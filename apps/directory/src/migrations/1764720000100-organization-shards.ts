import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where the customers, credentials, audit log and event feed of an organization are. */
export class OrganizationShards1764720000100 implements MigrationInterface {
  name = 'OrganizationShards1764720000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE organization ADD COLUMN shard text NOT NULL DEFAULT 'main'");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE organization DROP COLUMN shard');
  }
}
