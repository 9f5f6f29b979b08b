import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who is responsible for a destination, and what it gets. Destinations of before have no maker. `paused_because` is set
 * while it is paused for another reason than a request. `failure_event` is the id of the event of the failure that
 * lasts, `failures_recorded` counts those that were reported to the organization.
 */
export class DestinationMakers1767000000100 implements MigrationInterface {
  name = 'DestinationMakers1767000000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE audit_destination ADD COLUMN maker_type text, ADD COLUMN maker_id text, ADD COLUMN maker_name text,
         ADD COLUMN paused_because text, ADD COLUMN filter json,
         ADD COLUMN failing_since timestamptz(3), ADD COLUMN failure_event uuid,
         ADD COLUMN failure_recorded boolean NOT NULL DEFAULT false,
         ADD COLUMN failures_recorded integer NOT NULL DEFAULT 0`,
    );
    await runner.query('CREATE INDEX audit_destination_maker ON audit_destination (org, maker_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX audit_destination_maker');
    await runner.query(
      `ALTER TABLE audit_destination DROP COLUMN maker_type, DROP COLUMN maker_id, DROP COLUMN maker_name,
         DROP COLUMN paused_because, DROP COLUMN filter, DROP COLUMN failing_since, DROP COLUMN failure_event,
         DROP COLUMN failure_recorded, DROP COLUMN failures_recorded`,
    );
  }
}
