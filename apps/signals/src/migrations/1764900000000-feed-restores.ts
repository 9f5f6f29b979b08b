import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `lost`: the sequence numbers that a restore from a backup skips. They may have been in use after the backup, so a
 * reader whose cursor is one of them has read events that do not exist any more.
 */
export class FeedRestores1764900000000 implements MigrationInterface {
  name = 'FeedRestores1764900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE head ADD COLUMN lost int8multirange NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE head DROP COLUMN lost');
  }
}
