import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which keys the replicas of a service use: one row for each key that is or was current, until when a replica has used
 * it, and, of the newest one, how much still needs another key. `holdfast secrets rotate` reads it before it removes a
 * key.
 */
const keyUseTable = `CREATE TABLE key_use (
     name text NOT NULL,
     id bytea NOT NULL,
     since timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     used_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     pending bigint,
     pending_until timestamptz(3),
     checked_at timestamptz(3),
     PRIMARY KEY (name, id))`;

/** Creates the table. Its name is fixed, because migrated schemas have recorded it. */
export class KeyUse1764710000000 implements MigrationInterface {
  name = 'KeyUse1764710000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(keyUseTable);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE key_use');
  }
}
