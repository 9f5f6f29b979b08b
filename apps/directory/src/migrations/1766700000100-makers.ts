import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Apps that people or the operator have taken over from the program that made them, and who made a client secret or an
 * assignment. A person who is removed leaves no id behind.
 */
const statements = [
  'ALTER TABLE app ADD COLUMN taken_over boolean NOT NULL DEFAULT false',
  'CREATE INDEX app_created_by ON app (created_by) WHERE created_by IS NOT NULL AND deleted_at IS NULL',
  `ALTER TABLE app_secret ADD COLUMN created_by_type text CHECK (created_by_type IN ('app', 'person', 'operator')),
     ADD COLUMN created_by_person uuid REFERENCES person ON DELETE SET NULL`,
  'CREATE INDEX app_secret_person ON app_secret (created_by_person) WHERE created_by_person IS NOT NULL',
  'CREATE INDEX app_secret_created_by ON app_secret (created_by) WHERE created_by IS NOT NULL AND revoked_at IS NULL',
  `ALTER TABLE assignment ADD COLUMN created_by_type text CHECK (created_by_type IN ('app', 'person', 'operator')),
     ADD COLUMN created_by_app text, ADD COLUMN created_by_person uuid REFERENCES person ON DELETE SET NULL`,
  'CREATE INDEX assignment_created_by ON assignment (created_by_person) WHERE created_by_person IS NOT NULL',
];

export class Makers1766700000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of statements) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE assignment DROP COLUMN created_by_person, DROP COLUMN created_by_app, DROP COLUMN created_by_type',
    );
    await runner.query('DROP INDEX app_secret_created_by, app_created_by');
    await runner.query('ALTER TABLE app_secret DROP COLUMN created_by_person, DROP COLUMN created_by_type');
    await runner.query('ALTER TABLE app DROP COLUMN taken_over');
  }
}
