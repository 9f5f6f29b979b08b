import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where an organization's customers begin and get help. */
export class OrganizationAddresses1766800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE organization ADD COLUMN start_url text, ADD COLUMN help_url text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE organization DROP COLUMN help_url, DROP COLUMN start_url');
  }
}
