import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which organizations are suspended, for destinations that are created meanwhile. One without a row is not. */
export class AuditSuspensions1766500000000 implements MigrationInterface {
  name = 'AuditSuspensions1766500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE audit_suspension (
         org text PRIMARY KEY,
         suspended boolean NOT NULL DEFAULT false,
         version integer NOT NULL DEFAULT 0)`,
    );
    await runner.query(
      `INSERT INTO audit_suspension (org, suspended, version)
       SELECT DISTINCT ON (org) org, suspended, suspended_version FROM audit_destination WHERE suspended_version > 0
        ORDER BY org, suspended_version DESC`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE audit_suspension');
  }
}
