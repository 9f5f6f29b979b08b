import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropNamedPartitions } from './partition-functions.js';

/** Dropping tells which places of a log have lost their entries, not only how many. */
export class NameDroppedPlaces1764110000000 implements MigrationInterface {
  name = 'NameDroppedPlaces1764110000000';

  async up(runner: QueryRunner): Promise<void> {
    // What a function returns cannot be replaced.
    for (const sql of [
      'DROP FUNCTION drop_partitions(text, int)',
      dropNamedPartitions,
      'REVOKE ALL ON FUNCTION drop_partitions FROM PUBLIC',
    ])
      await runner.query(sql);
  }

  async down(): Promise<void> {
    throw new Error('the audit log is never dropped');
  }
}
