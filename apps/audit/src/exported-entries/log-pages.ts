import { Injectable } from '@nestjs/common';
import { Database, statement, type Sql } from '@holdfast/data';
import { leafHash } from '@holdfast/tlog';
import { storedEntryBytes, storedEntryColumns, type StoredEntry } from '../query/entry-decryption.js';

/** A leaf, which stays when its entry is dropped. `lastAt` is present at the end of a complete subtree. */
export interface LeafRow {
  seq: number;
  id: string;
  leafHash: Buffer;
  class: string;
  month: number;
  lastAt?: Date | null;
}

interface EntryColumns extends StoredEntry {
  class: string;
  month: number;
  occurredAt: Date;
  action: string;
  actor: string;
  outcome: string;
  /** How many rows were found, with those that were left out because the page is large enough. */
  read: number;
  /** `seq` of the next of these rows. */
  next: number | null;
}

export type EntryRow = LeafRow & Omit<EntryColumns, 'read' | 'next'> & { targets: string[] };
export type PageRow = LeafRow | EntryRow;

export function isEntryRow(row: PageRow): row is EntryRow {
  return 'leaf' in row;
}

/** Tampering can write infinite times, which JSON cannot represent: the export must reach the verifier nonetheless. */
const finite = (time: string): string => `least(greatest(${time}, timestamptz 'epoch'), timestamptz '9999-12-31')`;

/** The SELECT around the limit hides the number from the planner, which would make a plan for each. */
export const selectLeaves = statement(
  'export_leaves',
  `SELECT l.seq, l.id, l.leaf_hash AS "leafHash", l.class, l.month,
     CASE WHEN l.seq % 256 = 0 THEN (
       SELECT ${finite('s.last_at')} FROM subtree s
        WHERE s.org = l.org AND s.level = 1 AND s.index = l.seq / 256 - 1) END AS "lastAt"
   FROM leaf l WHERE l.org = $1 AND l.seq > $2 AND l.seq <= $3 ORDER BY l.seq LIMIT (SELECT $4::int)`,
);

/** Twice the leaves of a page, so that rows inserted by tampering cannot make it grow without limit. */
export const maxEntries = 1000;
/**
 * Bytes that the entries of a page have together, unless it is a single one. In a reply they take twice as much: as
 * base64, and with the values behind pseudonyms and hashes.
 */
const maxBytes = 400_000;

const columns = `e.class, e.month, ${finite('e.occurred_at')} AS "occurredAt", e.action, e.actor_id AS actor,
  e.outcome, ${storedEntryColumns}`;

/**
 * The first rows of a query, as many as have `maxBytes` together. All rows of a `seq` or none, since a verifier must
 * see those beside the right one; but no more than two of a `seq` that is too large by itself: they are enough to
 * report it.
 */
const first = (query: string): string =>
  `SELECT * FROM (
     SELECT q.*, count(*) OVER ()::int AS read, lead(seq) OVER ordered AS next, rank() OVER (ORDER BY seq) AS place,
         row_number() OVER ordered AS n, sum(${storedEntryBytes}) OVER (ORDER BY seq) AS bytes,
         sum(${storedEntryBytes}) OVER ordered AS bytes_of_rows
       FROM (${query}) q WINDOW ordered AS (ORDER BY seq ROWS UNBOUNDED PRECEDING)) bounded
    WHERE bytes <= ${maxBytes} OR (place = 1 AND (n <= 2 OR bytes_of_rows <= ${maxBytes})) ORDER BY seq`;

/**
 * All rows of a range of `seq`, in whichever partition: those that belong there, and those inserted by tampering. One
 * index lookup in each partition, whatever the size of the log: a condition that may or may not apply (`$4 OR seq <=
 * $3`) would read each partition to its end.
 */
export const selectEntries = statement(
  'export_entries',
  first(
    `SELECT ${columns} FROM entry e WHERE e.org = $1 AND e.seq > $2 AND e.seq <= $3 ORDER BY e.seq LIMIT ${maxEntries}`,
  ),
);

/** Rows behind the head, which never appended them. */
export const selectEntriesBehindHead = statement(
  'export_entries_behind_head',
  first(
    `SELECT ${columns} FROM entry e
      WHERE e.org = $1 AND e.seq > coalesce((SELECT seq FROM head WHERE org = $1), 0) AND e.seq > $2
      ORDER BY e.seq LIMIT 100`,
  ),
);

/**
 * OFFSET 0 keeps the planner at one lookup per entry, in the one partition that contains it, and at the index by `seq`:
 * the one by target begins with `org` too.
 */
export const selectTargets = statement(
  'export_targets',
  `SELECT q.n, t.target
     FROM unnest((SELECT $2::int[]), (SELECT $3::bigint[]), (SELECT $4::text[]), (SELECT $5::int[]))
            AS q(n, seq, class, month),
       LATERAL (
         SELECT org, target FROM entry_target WHERE seq = q.seq AND class = q.class AND month = q.month OFFSET 0) t
    WHERE t.org = $1`,
);

/** Reads a log as it is stored, a range of `seq` at a time. */
@Injectable()
export class LogPages {
  constructor(private readonly database: Database) {}

  /** Reads the rows after `after` up to `size`, and those that were inserted beside them: a verifier must see both. */
  async read(org: string, after: number, size: number, limit: number): Promise<PageRow[]> {
    const leaves = await this.database.rows<LeafRow>(selectLeaves, [org, after, size, limit]);
    const isLast = leaves.length < limit;
    const end = isLast ? size : leaves.at(-1)!.seq;
    // The transaction's lock on the entries makes a drop of partitions wait. Without it a drop could delete the targets
    // of entries that were just read.
    return this.database.transaction(async (sql) => {
      const [found, behindHead] = await Promise.all([
        sql.rows<EntryColumns>(selectEntries, [org, after, end]),
        isLast ? sql.rows<EntryColumns>(selectEntriesBehindHead, [org, size]) : [],
      ]);
      const page = completeRange(leaves, found);
      return withTargets(sql, org, [
        ...paired(page.leaves, page.entries),
        ...(page.isCut ? [] : behindHead.map(unknownEntry)),
      ]);
    });
  }
}

async function withTargets(sql: Sql, org: string, rows: PageRow[]): Promise<PageRow[]> {
  const entries = rows.filter(isEntryRow).filter(({ id }) => id !== '');
  if (entries.length === 0) return rows;
  const values = [
    org,
    entries.map((_, n) => n),
    entries.map((r) => r.seq),
    entries.map((r) => r.class),
    entries.map((r) => r.month),
  ];
  for (const { n, target } of await sql.rows<{ n: number; target: string }>(selectTargets, values))
    entries[n]!.targets.push(target);
  return rows;
}

/** Cuts a range that has more rows than were returned to the seqs whose rows were all returned. */
function completeRange(
  leaves: LeafRow[],
  entries: EntryColumns[],
): { leaves: LeafRow[]; entries: EntryColumns[]; isCut: boolean } {
  const { read = 0, next = null, seq: last = 0 } = entries.at(-1) ?? {};
  if (read < maxEntries && entries.length === read) return { leaves, entries, isCut: false };
  // When all rows have one `seq`, these are enough to report it, and the next page continues behind it.
  const isOne = entries[0]!.seq === last;
  const end = next !== null && next > last ? next - 1 : isOne ? last : last - 1;
  return {
    leaves: leaves.filter(({ seq }) => seq <= end),
    entries: entries.filter(({ seq }) => seq <= end),
    isCut: true,
  };
}

/** Each leaf with its entry, and other entries with the same `seq`. Of a dropped entry only the leaf is left. */
function paired(leaves: readonly LeafRow[], entries: readonly EntryColumns[]): PageRow[] {
  const keyOf = ({ seq, class: name, month }: Pick<LeafRow, 'seq' | 'class' | 'month'>) => `${seq} ${name} ${month}`;
  const unpaired = new Map<string, LeafRow>(leaves.map((leaf) => [keyOf(leaf), leaf]));
  const pairs = new Map<LeafRow, EntryRow>();
  const unknown: PageRow[] = [];
  for (const entry of entries) {
    const leaf = unpaired.get(keyOf(entry));
    if (!leaf) unknown.push(unknownEntry(entry));
    else {
      unpaired.delete(keyOf(entry));
      pairs.set(leaf, { ...leaf, ...entry, targets: [] });
    }
  }
  const rows = leaves.map((leaf) => pairs.get(leaf) ?? leaf);
  return unknown.length === 0 ? rows : [...rows, ...unknown].sort((a, b) => a.seq - b.seq);
}

/** An entry without a leaf, or beside the entry of that leaf: it was inserted by tampering, and lists would show it. */
function unknownEntry(entry: EntryColumns): EntryRow {
  return { ...entry, id: '', leafHash: leafHash(entry.leaf), targets: [] };
}
