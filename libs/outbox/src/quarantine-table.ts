import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Events that a consumer cannot apply, in the schema of their producer, for its migrations. The event itself stays in
 * the outbox, unconfirmed, so that its data is in one place and an erasure that somebody has not applied gets no
 * receipt. `held` is false while it is delivered anew.
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

/** The migration that makes it, under the name by which the schemas know it that have it already. */
export class QuarantinedEvents1764210000000 implements MigrationInterface {
  name = 'QuarantinedEvents1764210000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of quarantineTables) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE quarantined_event');
  }
}
