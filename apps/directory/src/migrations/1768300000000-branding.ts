import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accent colour and logo of an organization. A logo that nothing refers to is deleted with the change. */
export class Branding1768300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE organization ADD COLUMN accent_color text, ADD COLUMN logo_id text');
    await runner.query(
      `CREATE TABLE logo (
         org text NOT NULL REFERENCES organization (short_id),
         id text NOT NULL,
         png bytea NOT NULL,
         PRIMARY KEY (org, id)
       )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE logo');
    await runner.query('ALTER TABLE organization DROP COLUMN logo_id, DROP COLUMN accent_color');
  }
}
