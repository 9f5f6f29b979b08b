import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The id of the SECRET_PEPPER under which a client secret, or the hashes that find a person, are stored. Null: that of
 * before the column, or of a replica that does not know it; then the pepper is unknown, and the hashes are made again
 * at the next rotation.
 */
export class Peppers1764710000100 implements MigrationInterface {
  name = 'Peppers1764710000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app_secret ADD COLUMN pepper_id bytea');
    await runner.query('ALTER TABLE person ADD COLUMN pepper_id bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE person DROP COLUMN pepper_id');
    await runner.query('ALTER TABLE app_secret DROP COLUMN pepper_id');
  }
}
