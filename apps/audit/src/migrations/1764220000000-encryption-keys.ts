import type { MigrationInterface, QueryRunner } from 'typeorm';

const sealed = [
  ['person_key', 'person'],
  ['provisional', 'id'],
] as const;

/** Rows say with which key they are sealed, so that a rotation can be finished and be known to be. */
export class EncryptionKeys1764220000000 implements MigrationInterface {
  name = 'EncryptionKeys1764220000000';

  async up(runner: QueryRunner): Promise<void> {
    // Keys that were current in some replica, by their ids, and when one was last started with it.
    await runner.query(
      'CREATE TABLE encryption_key (id bytea PRIMARY KEY, since timestamptz NOT NULL DEFAULT clock_timestamp())',
    );
    for (const [table, id] of sealed) {
      // Empty: not known, since an earlier version wrote it.
      await runner.query(`ALTER TABLE ${table} ADD COLUMN key_id bytea NOT NULL DEFAULT ''`);
      await runner.query(`CREATE INDEX ${table}_sealed ON ${table} (key_id, ${id})`);
    }
    // How often a record or count was refused in a row, and the next try of a log's parked records in one look.
    for (const table of ['provisional', 'refusal'])
      await runner.query(`ALTER TABLE ${table} ADD COLUMN attempts int NOT NULL DEFAULT 0`);
    await runner.query('DROP INDEX provisional_parked');
    await runner.query('CREATE INDEX provisional_parked ON provisional (org, due_at) WHERE parked');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX provisional_parked');
    await runner.query('CREATE INDEX provisional_parked ON provisional (org) WHERE parked');
    for (const table of ['provisional', 'refusal']) await runner.query(`ALTER TABLE ${table} DROP COLUMN attempts`);
    for (const [table] of sealed) await runner.query(`ALTER TABLE ${table} DROP COLUMN key_id`);
    await runner.query('DROP TABLE encryption_key');
  }
}
