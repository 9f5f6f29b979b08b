import { statement, type Sql } from '@holdfast/data';
import { AppError } from '@holdfast/platform';
import { hashSize, rootOf, type ReadHashes } from '@holdfast/tlog';

/** The hashes that are stored: of leaves (level 0) and of complete subtrees of 256, 65536, … leaves (level 1, 2, …). */
const stored = statement(
  'tree_hashes',
  `SELECT q.n, h.hashes
     FROM unnest((SELECT $1::int[]), (SELECT $2::text[]), (SELECT $3::int[]), (SELECT $4::bigint[]),
                 (SELECT $5::bigint[])) AS q(n, org, level, first, last), LATERAL (
     SELECT string_agg(hash, '' ORDER BY index) AS hashes FROM (
       SELECT seq AS index, leaf_hash AS hash FROM leaf
        WHERE q.level = 0 AND org = q.org AND seq BETWEEN q.first + 1 AND q.last + 1
       UNION ALL
       SELECT index, hash FROM subtree
        WHERE q.level > 0 AND org = q.org AND level = q.level AND index BETWEEN q.first AND q.last
       OFFSET 0) s) h`,
);

/** Adjacent hashes of a stored level. */
interface Row {
  org: string;
  level: number;
  first: number;
  count: number;
}

/** One list of hashes for each row, in one query. A list is shorter than `count` at the end of the log. */
export async function storedHashes(sql: Sql, rows: readonly Row[]): Promise<Buffer[][]> {
  const found = await sql.rows<{ n: number; hashes: Buffer | null }>(stored, [
    rows.map((_, n) => n),
    rows.map((r) => r.org),
    rows.map((r) => r.level),
    rows.map((r) => r.first),
    rows.map((r) => r.first + r.count - 1),
  ]);
  const lists: Buffer[][] = rows.map(() => []);
  for (const { n, hashes } of found)
    for (let at = 0; hashes !== null && at < hashes.length; at += hashSize)
      lists[n]!.push(hashes.subarray(at, at + hashSize));
  return lists;
}

/** Hashes of a tree were deleted. Proofs are answered with 503, and nothing may be signed. */
export class IncompleteTree extends AppError {
  constructor({ level, first, count }: Row, found: number) {
    const leaves = 256 ** level;
    super(
      'unavailable',
      `the tree of the log is incomplete: of the hashes of entries ${first * leaves + 1} to ` +
        `${(first + count) * leaves} ${count - found} of ${count} are gone`,
      { retryAfter: 60 },
    );
  }
}

interface Waiting {
  rows: Row[];
  done: PromiseWithResolvers<Buffer[]>;
}

/**
 * Reads any subtree of any log: at most 255 stored hashes for each eight levels of a proof. Proofs that are begun in
 * the same turn of the event loop share one query.
 */
export class TreeReader {
  private waiting: Waiting[] = [];

  constructor(private readonly sql: Sql) {}

  of(org: string): ReadHashes {
    return (subtrees) => {
      const rows = subtrees.map(({ level, index }) => {
        const count = 2 ** (level % 8);
        return { org, level: Math.floor(level / 8), first: index * count, count };
      });
      const done = Promise.withResolvers<Buffer[]>();
      if (this.waiting.push({ rows, done }) === 1) queueMicrotask(() => void this.read());
      return done.promise;
    };
  }

  private async read(): Promise<void> {
    const proofs = this.waiting;
    this.waiting = [];
    try {
      const lists = (
        await storedHashes(
          this.sql,
          proofs.flatMap(({ rows }) => rows),
        )
      ).values();
      for (const { rows, done } of proofs) {
        const hashes = rows.map(() => lists.next().value!);
        const missing = rows.findIndex(({ count }, n) => hashes[n]!.length !== count);
        if (missing >= 0) done.reject(new IncompleteTree(rows[missing]!, hashes[missing]!.length));
        else done.resolve(hashes.map(rootOf));
      }
    } catch (error) {
      for (const { done } of proofs) done.reject(error);
    }
  }
}
