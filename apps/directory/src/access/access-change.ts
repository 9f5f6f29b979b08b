import type { AccessEntry } from '@holdfast/contracts';
import { statement, takeLock, type Sql } from '@holdfast/data';

export type AccessSubject = Pick<AccessEntry, 'kind' | 'id'>;

/**
 * The lock is held until commit. Otherwise a transaction could commit seq 7 before another commits seq 6. A reader that
 * has seen 7 would never read 6, and the app of that entry would keep its access.
 */
const lock = 'access change';
// clock_timestamp(), because now() is the start of the transaction, which may have waited for the lock since then.
const insert = statement(
  'access_insert',
  `INSERT INTO access_change (kind, id, at) SELECT kind, id, clock_timestamp()
   FROM unnest($1::text[], $2::text[]) AS changed (kind, id)`,
);

/** Callers record the changes as late in their transaction as possible: until it commits, all other changes wait. */
export async function recordAccessChanges(sql: Sql, changed: readonly AccessSubject[]): Promise<void> {
  if (changed.length === 0) return;
  await takeLock(sql, lock);
  await sql.rows(insert, [changed.map(({ kind }) => kind), changed.map(({ id }) => id)]);
}
