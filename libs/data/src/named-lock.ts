import type { MigrationInterface, QueryRunner } from 'typeorm';
import { statement, type Sql } from './database.js';

/**
 * Locks that belong to no row of their own. They are rows of the service's schema, because advisory locks belong to the
 * whole database: the role of any other service could take them and block, for example, every change of access.
 */
export const namedLockTable = 'CREATE TABLE named_lock (name text PRIMARY KEY)';

/** Creates the table. Its name is fixed, because migrated schemas have recorded it. */
export class NamedLocks1764200000000 implements MigrationInterface {
  name = 'NamedLocks1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(namedLockTable);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE named_lock');
  }
}

/** The conflicting row is locked, although `WHERE false` prevents the update. */
const take = statement(
  'named_lock_take',
  'INSERT INTO named_lock AS l (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = l.name WHERE false',
);
const tryToTake = statement('named_lock_try', 'SELECT FROM named_lock WHERE name = $1 FOR UPDATE SKIP LOCKED');

/** Waits for the lock and holds it until the transaction ends. */
export async function takeLock(sql: Sql, name: string): Promise<void> {
  await sql.rows(take, [name]);
}

/** Takes a lock whose row a migration has created. False, without waiting, when another transaction holds it. */
export async function tryLock(sql: Sql, name: string): Promise<boolean> {
  return (await sql.rows(tryToTake, [name])).length > 0;
}
