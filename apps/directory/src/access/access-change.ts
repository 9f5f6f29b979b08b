import { statement, takeLock, type Sql } from '@holdfast/data';

export type AccessSubject = { kind: 'app' | 'organization'; id: string };

/**
 * Held until commit: without it a transaction could commit seq 7 before another commits 6, and a consumer that has seen
 * 7 would never ask for 6. So 6 would keep its access.
 */
const lock = 'access change';
// now() is when the transaction began; the lock may have been waited for since.
const insert = statement(
  'access_insert',
  'INSERT INTO access_change (kind, id, at) VALUES ($1, $2, clock_timestamp())',
);

/** The last statement but one of a change: what comes after it makes all other changes wait. */
export async function recordAccessChange(sql: Sql, { kind, id }: AccessSubject): Promise<void> {
  await takeLock(sql, lock);
  await sql.rows(insert, [kind, id]);
}
