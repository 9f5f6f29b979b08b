import type { MigrationInterface, QueryRunner } from 'typeorm';

export class OriginsAndLogout1763900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE app ADD COLUMN origins text[] NOT NULL DEFAULT '{}', ADD COLUMN backchannel_logout_uri text`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app DROP COLUMN origins, DROP COLUMN backchannel_logout_uri');
  }
}
