import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Apps that programs of the organization manage. The row of a deleted app stays, disabled and without settings, so that
 * its client ID is never used again; its name can be.
 */
const statements = [
  `ALTER TABLE app ADD COLUMN logo_uri text, ADD COLUMN help_uri text,
     ADD COLUMN built_in boolean NOT NULL DEFAULT false, ADD COLUMN created_by text,
     ADD COLUMN deleted_at timestamptz(3),
     ADD CONSTRAINT app_deleted CHECK (deleted_at IS NULL OR disabled)`,
  'ALTER TABLE app DROP CONSTRAINT app_name',
  'CREATE UNIQUE INDEX app_name ON app (org, name) WHERE deleted_at IS NULL',
  'CREATE INDEX app_newest ON app (org, created_at DESC, client_id DESC) WHERE deleted_at IS NULL',
  'CREATE INDEX app_name_prefix ON app (org text_pattern_ops, lower(name) text_pattern_ops) WHERE deleted_at IS NULL',
  'ALTER TABLE app_secret ADD COLUMN created_by text',
];

export class ManagedApps1764400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of statements) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app_secret DROP COLUMN created_by');
    await runner.query('DROP INDEX app_name_prefix, app_newest, app_name');
    await runner.query(
      `ALTER TABLE app DROP CONSTRAINT app_deleted, DROP COLUMN deleted_at, DROP COLUMN created_by,
         DROP COLUMN built_in, DROP COLUMN help_uri, DROP COLUMN logo_uri,
         ADD CONSTRAINT app_name UNIQUE (org, name)`,
    );
  }
}
