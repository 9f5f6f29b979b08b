import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events of a credential type carry its version. Types from before begin with 1, like those that no event told of. */
export class SettingVersions1763910000000 implements MigrationInterface {
  name = 'SettingVersions1763910000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE credential_type ADD COLUMN version integer NOT NULL DEFAULT 1');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE credential_type DROP COLUMN version');
  }
}
