import { Injectable } from '@nestjs/common';
import { Database, isNotFenced, statement, withinBytes, type Transaction } from '@holdfast/data';
import { extendedSketches, knownCredentials, writeLongCounts, writeTally } from './roll-up-rows.js';
import { Tally, targetOf, type LoggedLeaf } from './tally.js';

/** Of the entries that are counted in one transaction, unless it is a single one. */
const maxBatchBytes = 1_000_000;

const uncounted = (condition: string) =>
  `SELECT h.org, h.seq - coalesce(c.seq, 0) AS entries, coalesce(c.seq, 0) AS counted
     FROM head h LEFT JOIN analytics_cursor c USING (org)
    WHERE h.seq > coalesce(c.seq, 0) AND ${condition} AND ${isNotFenced('h.org')} ORDER BY entries DESC, h.org`;
const selectUncounted = statement('analytics_uncounted', uncounted('true'));
export const selectUncountedOf = statement('analytics_uncounted_of', uncounted('h.org = ANY ($1)'));
const newCursor = statement(
  'analytics_cursor_new',
  'INSERT INTO analytics_cursor (org) VALUES ($1) ON CONFLICT DO NOTHING',
);
/** Another replica that counts the log holds the lock; this one need not wait for it. */
const lockCursor = statement(
  'analytics_cursor_lock',
  'SELECT seq, long_seq AS "longSeq" FROM analytics_cursor WHERE org = $1 FOR UPDATE SKIP LOCKED',
);
/**
 * The next entries, month by month as lists read them, as many as have `maxBatchBytes` together. `next` has a row for
 * dropped ones too. Each row has the last `seq` of `next` and how many entries it has (`read`); there is one row
 * without a leaf when all entries were dropped.
 */
export const selectNext = statement(
  'analytics_next',
  `WITH next AS MATERIALIZED (SELECT seq, month FROM leaf WHERE org = $1 AND seq > $2 ORDER BY seq LIMIT $3),
     span AS MATERIALIZED (SELECT max(seq) AS last, min(month) AS first_month, max(month) AS last_month FROM next)
   SELECT span.last, found.*
     FROM span LEFT JOIN LATERAL (${withinBytes({
       query: `SELECT e.* FROM generate_series(span.first_month, span.last_month) AS months(month), LATERAL (
         SELECT seq, leaf FROM entry
          WHERE org = $1 AND month = months.month AND seq > $2 AND seq <= span.last ORDER BY seq LIMIT $3) e`,
       columns: 'seq, leaf',
       bytes: 'octet_length(leaf)',
       order: 'seq',
       maxBytes: maxBatchBytes,
     })}) found ON true
    WHERE span.last IS NOT NULL`,
);

/** A log with entries that are not counted yet. */
export interface UncountedLog {
  org: string;
  entries: number;
  /** The last counted `seq`. */
  counted: number;
}

/**
 * Counts the entries of logs into roll-ups. What a batch adds commits together with the place up to which the log is
 * counted, and that row is locked meanwhile: so each entry is counted once, however many replicas count and whichever
 * of them is killed.
 */
@Injectable()
export class RollUps {
  /** Entries that are counted in one transaction. */
  batchSize = 500;

  constructor(private readonly database: Database) {}

  /** Of these logs, or of all. The furthest behind comes first. */
  uncounted(orgs?: readonly string[]): Promise<UncountedLog[]> {
    return orgs
      ? this.database.rows<UncountedLog>(selectUncountedOf, [orgs])
      : this.database.rows<UncountedLog>(selectUncounted);
  }

  /** Counts the next entries of a log. @returns whether there may be more; false also when another replica counts it */
  async countNext(org: string): Promise<boolean> {
    return this.database.transaction(async (sql) => {
      const cursor = await lockedCursor(sql, org);
      if (!cursor) return false;
      const { seq, longSeq } = cursor;
      const rows = await sql.rows<NextRow>(selectNext, [org, seq, this.batchSize]);
      if (rows.length === 0) return false;
      const entries = rows.filter((row): row is NextEntry => row.seq !== null);
      const leaves = entries.map(({ leaf }) => JSON.parse(leaf.toString()) as LoggedLeaf);
      const tally = new Tally(await knownCredentials(sql, org, concernedBy(leaves)));
      for (const leaf of leaves) tally.add(leaf);
      const isCut = entries.length > 0 && entries.length < entries[0]!.read;
      const last = isCut ? entries.at(-1)!.seq : rows[0]!.last;
      const latest = leaves.map(({ occurredAt }) => occurredAt).reduce<string | undefined>(later, undefined);
      const sketches = await extendedSketches(sql, org, tally.active);
      if (longSeq !== seq) await sql.rows(writeLongCounts, [org]);
      const { counts } = tally;
      const changed = [...tally.changed.values()];
      const removed = [...tally.removed];
      const values = { org, counts, sketches, changed, removed, seq: last, latest };
      await sql.last(writeTally, writeTally.values(values));
      return isCut || last - seq >= this.batchSize;
    });
  }
}

interface NextEntry {
  last: number;
  seq: number;
  leaf: Buffer;
  read: number;
}
type NextRow = NextEntry | { last: number; seq: null };

interface Cursor {
  seq: number;
  /** Up to where the long roll-ups contain the log: not `seq` after a version that does not know them has counted. */
  longSeq: number;
}

async function lockedCursor(sql: Transaction, org: string): Promise<Cursor | undefined> {
  await sql.rows(newCursor, [org]);
  return (await sql.rows<Cursor>(lockCursor, [org]))[0];
}

function concernedBy(leaves: readonly LoggedLeaf[]) {
  const targetsOf = (of: readonly LoggedLeaf[], type: string) => [
    ...new Set(of.flatMap((leaf) => targetOf(leaf, type) ?? [])),
  ];
  return {
    credentials: targetsOf(leaves, 'credential'),
    erasedCustomers: targetsOf(
      leaves.filter(({ action }) => action === 'subject.erase'),
      'customer',
    ),
  };
}

function later(a: string | undefined, b: string): string {
  return a !== undefined && a > b ? a : b;
}
