import { statement, type Sql } from '@holdfast/data';
import { AppError } from '@holdfast/platform';
import { rootOf, type ReadHashes } from '@holdfast/tlog';

/** The hashes that are stored: of leaves (level 0) and of complete subtrees of 256, 65536, … leaves (level 1, 2, …). */
const stored = statement(
  'tree_hashes',
  `SELECT q.n, h.hash
     FROM unnest($2::int[], $3::int[], $4::bigint[], $5::bigint[]) AS q(n, level, first, last), LATERAL (
     SELECT seq AS index, leaf_hash AS hash FROM leaf
      WHERE q.level = 0 AND org = $1 AND seq BETWEEN q.first + 1 AND q.last + 1
     UNION ALL
     SELECT index, hash FROM subtree
      WHERE q.level > 0 AND org = $1 AND level = q.level AND index BETWEEN q.first AND q.last
     OFFSET 0) h
   ORDER BY q.n, h.index`,
);

/** Adjacent hashes of a stored level. */
interface Row {
  level: number;
  first: number;
  count: number;
}

/** One list of hashes for each row, in one query. A list is shorter than `count` at the end of the log. */
export async function storedHashes(sql: Sql, org: string, rows: readonly Row[]): Promise<Buffer[][]> {
  const found = await sql.rows<{ n: number; hash: Buffer }>(stored, [
    org,
    rows.map((_, n) => n),
    rows.map((r) => r.level),
    rows.map((r) => r.first),
    rows.map((r) => r.first + r.count - 1),
  ]);
  const lists: Buffer[][] = rows.map(() => []);
  for (const { n, hash } of found) lists[n]!.push(hash);
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

/** Reads any subtree: at most 255 stored hashes for each eight levels of a proof. */
export function hashReader(sql: Sql, org: string): ReadHashes {
  return async (subtrees) => {
    const rows = subtrees.map(({ level, index }) => {
      const count = 2 ** (level % 8);
      return { level: Math.floor(level / 8), first: index * count, count };
    });
    const lists = await storedHashes(sql, org, rows);
    return lists.map((hashes, n) => {
      if (hashes.length !== rows[n]!.count) throw new IncompleteTree(rows[n]!, hashes.length);
      return rootOf(hashes);
    });
  };
}
