import type { MigrationInterface, QueryRunner } from 'typeorm';
import { idempotencyTables } from '@holdfast/outbox';

/** Stored responses of requests with an Idempotency-Key. */
export class Idempotency1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of idempotencyTables) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency');
  }
}
