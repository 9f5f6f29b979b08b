import { namedLockTable } from '@holdfast/data';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class NamedLocks1764200000000 implements MigrationInterface {
  name = 'NamedLocks1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(namedLockTable);
    // Of the expiration worker, which looks for it without making it.
    await runner.query(`INSERT INTO named_lock (name) VALUES ('expirations')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE named_lock');
  }
}
