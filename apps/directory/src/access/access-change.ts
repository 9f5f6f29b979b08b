import { statement, takeLock, type Sql } from '@holdfast/data';

export type AccessSubject = { kind: 'app' | 'organization'; id: string };

/**
 * Held until commit: otherwise a transaction could commit seq 7 before another commits seq 6, and a reader that has seen
 * 7 would never read 6, whose app would keep its access.
 */
const lock = 'access change';
// Not now(), which is the start of the transaction: it may have waited for the lock since then.
const insert = statement(
  'access_insert',
  'INSERT INTO access_change (kind, id, at) VALUES ($1, $2, clock_timestamp())',
);

/** As late in a transaction as possible: until it commits, all other changes wait. */
export async function recordAccessChange(sql: Sql, { kind, id }: AccessSubject): Promise<void> {
  await takeLock(sql, lock);
  await sql.rows(insert, [kind, id]);
}
