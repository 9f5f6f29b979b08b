import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Events that a consumer cannot apply, in the schema of their producer, for its migrations. The event itself stays in
 * the outbox, unconfirmed: its data is in one place, and no erasure is confirmed that a consumer has not applied.
 * `held` is false while the event is delivered again.
 */
export const quarantineTables: readonly string[] = [
  `CREATE TABLE quarantined_event (
     event uuid NOT NULL,
     consumer text NOT NULL,
     reason text NOT NULL,
     held boolean NOT NULL DEFAULT true,
     since timestamptz(3) NOT NULL DEFAULT now(),
     retries int NOT NULL DEFAULT 0,
     retry_at timestamptz(3) NOT NULL DEFAULT now() + interval '1 minute',
     PRIMARY KEY (event, consumer))`,
];

/** Creates the table. Its name is fixed, because migrated schemas have recorded it. */
export class QuarantinedEvents1764210000000 implements MigrationInterface {
  name = 'QuarantinedEvents1764210000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of quarantineTables) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE quarantined_event');
  }
}
