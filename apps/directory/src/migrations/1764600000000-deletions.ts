import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A job ends what a deleted app or group leaves: assignments, access requests and memberships, each with its event. So
 * the row of a deleted group stays until its last membership is gone; nobody finds it, and its name can be used again.
 */
const statements = [
  'ALTER TABLE app ADD COLUMN ending boolean NOT NULL DEFAULT false',
  'CREATE INDEX app_ending ON app (deleted_at) WHERE ending',
  'ALTER TABLE person_group ADD COLUMN deleted_at timestamptz(3)',
  'CREATE INDEX person_group_deleted ON person_group (deleted_at) WHERE deleted_at IS NOT NULL',
  'ALTER TABLE person_group DROP CONSTRAINT person_group_name',
  // Not WHERE deleted_at IS NULL: without statistics the planner takes a partial index for a tiny one, and would find
  // each group of a person by reading those of the whole organization.
  `CREATE UNIQUE INDEX person_group_name ON person_group (org, (CASE WHEN deleted_at IS NULL THEN name_key END))`,
  'ALTER TABLE access_request DROP CONSTRAINT access_request_status_check',
  `ALTER TABLE access_request ADD CONSTRAINT access_request_status_check
     CHECK (status IN ('pending', 'approved', 'denied', 'withdrawn', 'expired', 'cancelled'))`,
  `CREATE INDEX access_request_app_pending ON access_request (org, client_id) WHERE status = 'pending'`,
  // The lock of the job: tryLock does not create its row.
  `INSERT INTO named_lock (name) VALUES ('deletions')`,
];

export class Deletions1764600000000 implements MigrationInterface {
  name = 'Deletions1764600000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of statements) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM person_group WHERE deleted_at IS NOT NULL');
    await runner.query(`UPDATE access_request SET status = 'expired' WHERE status = 'cancelled'`);
    await runner.query(`DELETE FROM named_lock WHERE name = 'deletions'`);
    await runner.query('DROP INDEX access_request_app_pending, person_group_name');
    await runner.query('ALTER TABLE access_request DROP CONSTRAINT access_request_status_check');
    await runner.query(
      `ALTER TABLE access_request ADD CONSTRAINT access_request_status_check
         CHECK (status IN ('pending', 'approved', 'denied', 'withdrawn', 'expired'))`,
    );
    await runner.query(
      'ALTER TABLE person_group DROP COLUMN deleted_at, ADD CONSTRAINT person_group_name UNIQUE (org, name_key)',
    );
    await runner.query('ALTER TABLE app DROP COLUMN ending');
  }
}
