import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When an organization may be deleted, and whether that has begun (docs/adr/0094-organization-deletion.md). */
export class OrganizationDeletions1768500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE organization ADD COLUMN deletes_at timestamptz(3),
         ADD COLUMN deleting boolean NOT NULL DEFAULT false,
         ADD CONSTRAINT organization_deletion CHECK (suspended OR deletes_at IS NULL),
         ADD CONSTRAINT organization_deleting CHECK (deletes_at IS NOT NULL OR NOT deleting)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE organization DROP COLUMN deletes_at, DROP COLUMN deleting');
  }
}
