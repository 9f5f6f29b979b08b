import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By it old marks are found, each minute, without reading all of them. */
export class EndedCustomersByTime1764330000000 implements MigrationInterface {
  name = 'EndedCustomersByTime1764330000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX ended_customer_at ON ended_customer (at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ended_customer_at');
  }
}
