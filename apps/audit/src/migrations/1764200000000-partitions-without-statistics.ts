import type { MigrationInterface, QueryRunner } from 'typeorm';
import { makePartitions } from './partition-functions.js';

/**
 * A new partition gathers no planner statistics, and making one waits for no lock that other services' roles may take.
 */
export class PartitionsWithoutStatistics1764200000000 implements MigrationInterface {
  name = 'PartitionsWithoutStatistics1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(makePartitions);
  }

  async down(): Promise<void> {
    throw new Error('the audit log is never dropped');
  }
}
