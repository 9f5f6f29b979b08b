import { statement, takeLock, type Sql } from '@holdfast/data';

export type AccessSubject = { kind: 'app' | 'organization'; id: string };

/**
 * The lock is held until commit. Otherwise a transaction could commit seq 7 before another commits seq 6. A reader that
 * has seen 7 would never read 6, and the app of that entry would keep its access.
 */
const lock = 'access change';
// clock_timestamp(), because now() is the start of the transaction, which may have waited for the lock since then.
const insert = statement(
  'access_insert',
  'INSERT INTO access_change (kind, id, at) VALUES ($1, $2, clock_timestamp())',
);

/** Callers record the change as late in their transaction as possible: until it commits, all other changes wait. */
export async function recordAccessChange(sql: Sql, { kind, id }: AccessSubject): Promise<void> {
  await takeLock(sql, lock);
  await sql.rows(insert, [kind, id]);
}
