import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accent colour, logo and start address of an app. An app has at most one logo, which ends with it. */
export class AppBranding1768400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE app ADD COLUMN accent_color text, ADD COLUMN logo_id text, ADD COLUMN start_uri text',
    );
    await runner.query(
      `CREATE TABLE app_logo (
         client_id text PRIMARY KEY REFERENCES app (client_id),
         org text NOT NULL,
         id text NOT NULL,
         png bytea NOT NULL
       )`,
    );
    await runner.query('CREATE INDEX app_logo_id ON app_logo (org, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE app_logo');
    await runner.query('ALTER TABLE app DROP COLUMN start_uri, DROP COLUMN logo_id, DROP COLUMN accent_color');
  }
}
