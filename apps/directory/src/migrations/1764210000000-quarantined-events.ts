import { quarantineTables } from '@holdfast/bus';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class QuarantinedEvents1764210000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of quarantineTables) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE quarantined_event');
  }
}
