import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CountRefusals1763920000000 implements MigrationInterface {
  name = 'CountRefusals1763920000000';

  async up(runner: QueryRunner): Promise<void> {
    // How many refusals of one kind each process has counted in a minute that may still be running.
    await runner.query(`CREATE TABLE refusal (
      org text NOT NULL,
      id uuid NOT NULL,
      source uuid NOT NULL,
      count int NOT NULL,
      record text NOT NULL,
      due_at timestamptz(3) NOT NULL,
      PRIMARY KEY (org, id, source))`);
    await runner.query('CREATE INDEX refusal_due ON refusal (due_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE refusal');
  }
}
