import type { MigrationInterface, QueryRunner } from 'typeorm';
import { statement, type Sql } from './database.js';

/**
 * Locks that stand for no row of their own. They are rows of the service's schema and not advisory locks: those belong
 * to the whole database, so any other service's role could take them, and with them the lock that every change of
 * access waits for ("disabled means disabled" would be over).
 */
export const namedLockTable = 'CREATE TABLE named_lock (name text PRIMARY KEY)';

/** The migration that makes the table, under the name by which the schemas know it that have it already. */
export class NamedLocks1764200000000 implements MigrationInterface {
  name = 'NamedLocks1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(namedLockTable);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE named_lock');
  }
}

/** `WHERE false` leaves the row as it is and locks it all the same. */
const take = statement(
  'named_lock_take',
  'INSERT INTO named_lock AS l (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = l.name WHERE false',
);
const tryToTake = statement('named_lock_try', 'SELECT FROM named_lock WHERE name = $1 FOR UPDATE SKIP LOCKED');

/** Waits for the lock and holds it until the transaction ends. */
export async function takeLock(sql: Sql, name: string): Promise<void> {
  await sql.rows(take, [name]);
}

/** Takes a lock whose row a migration has made, or resolves to false at once when another transaction holds it. */
export async function tryLock(sql: Sql, name: string): Promise<boolean> {
  return (await sql.rows(tryToTake, [name])).length > 0;
}
