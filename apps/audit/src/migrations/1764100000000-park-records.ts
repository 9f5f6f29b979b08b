import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `provisional` holds more than guesses: `guess` is false for a record that a handler wrote with its change; `parked`,
 * that its log refused it, or that it cannot be opened.
 */
export class ParkRecords1764100000000 implements MigrationInterface {
  name = 'ParkRecords1764100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE provisional ADD COLUMN guess boolean NOT NULL DEFAULT true, ADD COLUMN parked boolean NOT NULL DEFAULT false',
    );
    await runner.query('CREATE INDEX provisional_parked ON provisional (org) WHERE parked');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE provisional DROP COLUMN guess, DROP COLUMN parked');
  }
}
