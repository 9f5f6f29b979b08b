import type { MigrationInterface, QueryRunner } from 'typeorm';

export class OutboxByCustomer1764000100000 implements MigrationInterface {
  name = 'OutboxByCustomer1764000100000';

  async up(runner: QueryRunner): Promise<void> {
    // An erasure finds what the outbox still holds of its customer, among an hour of everybody's events.
    await runner.query('CREATE INDEX outbox_aggregate ON outbox (aggregate)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX outbox_aggregate');
  }
}
