import type { AuditFilter } from '@holdfast/contracts';
import type { Sql } from '@holdfast/data';
import type { StoredEntry } from './entry-decryption.js';
import { listStatement, type ListedEntry } from './list-statement.js';

/** A row without an entry has `seq` null. */
type FoundEntry = { head: number } & (ListedEntry | { seq: null });

export interface PageAfter {
  /** At most `limit`, and fewer when they are large. */
  entries: StoredEntry[];
  /** More than `entries` has, when there are more. */
  found: number;
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
  const entries = rows.filter((row): row is { head: number } & ListedEntry => row.seq !== null);
  return { entries: entries.slice(0, limit), found: entries[0]?.read ?? 0, end };
}
