import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DisplayName1764080000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app ADD COLUMN display_name text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app DROP COLUMN display_name');
  }
}
