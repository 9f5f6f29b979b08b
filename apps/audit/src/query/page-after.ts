import type { AuditFilter } from '@holdfast/contracts';
import type { Sql } from '@holdfast/data';
import type { StoredEntry } from './entry-decryption.js';
import { listStatement } from './list-statement.js';

/** A row without an entry has `seq` null. */
type FoundEntry = { head: number } & (StoredEntry | { seq: null });

export interface PageAfter {
  /** One more than `limit`, when there are more. */
  found: StoredEntry[];
  /** Up to here the statement has read the log. */
  end: number;
}

/** The entries after a place, oldest first. */
export async function pageAfter(
  database: Pick<Sql, 'rows'>,
  org: string,
  { filter, after, limit }: { filter: AuditFilter; after: number; limit: number },
): Promise<PageAfter> {
  const query = listStatement({ org, filter, after, limit: limit + 1 });
  const rows = await database.rows<FoundEntry>(query.statement, query.values);
  // The end comes from the statement that found the entries: another one could see a later end than entries.
  const end = Math.max(after, rows[0]?.head ?? 0);
  return { found: rows.filter((row): row is { head: number } & StoredEntry => row.seq !== null), end };
}
