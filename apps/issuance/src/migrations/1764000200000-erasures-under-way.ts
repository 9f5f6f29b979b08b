import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ErasuresUnderWay1764000200000 implements MigrationInterface {
  name = 'ErasuresUnderWay1764000200000';

  async up(runner: QueryRunner): Promise<void> {
    // Looked at each second, and mostly empty.
    await runner.query(
      `CREATE INDEX outbox_erasing ON outbox (aggregate) WHERE subject = 'evt.issuance.subject.erasure_started'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX outbox_erasing');
  }
}
