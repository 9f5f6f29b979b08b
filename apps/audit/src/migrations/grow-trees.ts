import type { QueryRunner } from 'typeorm';
import { CompactRange } from '@holdfast/tlog';

const pageSize = 20_000;

interface Page {
  seq: string;
  leaf_hash: Buffer;
  at: string;
}

/** Trees of the logs that are there already. */
export async function growTrees(runner: QueryRunner): Promise<void> {
  const heads = (await runner.query('SELECT org FROM head WHERE seq > 0')) as { org: string }[];
  for (const { org } of heads) await growTree(runner, org);
}

async function growTree(runner: QueryRunner, org: string): Promise<void> {
  const range = CompactRange.empty();
  let [latest, late] = [0, 0];
  for (;;) {
    const page = (await runner.query(
      `SELECT p.seq, p.leaf_hash, (extract(epoch FROM e.occurred_at) * 1000)::bigint AS at FROM place p JOIN entry_before e USING (org, seq) WHERE org = $1 AND seq > $2 ORDER BY seq LIMIT ${pageSize}`,
      [org, range.size],
    )) as Page[];
    const subtrees: [level: number, index: number, hash: Buffer, at: number][] = [];
    for (const { leaf_hash, at } of page) {
      latest = Math.max(latest, Number(at));
      late = Math.max(late, latest - Number(at));
      range.append(leaf_hash, (level, index, hash) => {
        if (level > 0 && level % 8 === 0) subtrees.push([level / 8, index, hash, latest]);
      });
    }
    for (const [level, index, hash, at] of subtrees) {
      await runner.query(
        "INSERT INTO subtree (org, level, index, hash, last_at) VALUES ($1, $2, $3, $4, timestamptz 'epoch' + $5 * interval '1 millisecond')",
        [org, level, index, hash, at],
      );
    }
    if (page.length < pageSize) break;
  }
  await runner.query(
    `UPDATE head SET range = $2, latest = timestamptz 'epoch' + $3 * interval '1 millisecond', late_ms = $4,
       month = (SELECT month FROM place p WHERE p.org = $1 AND p.seq = $5) WHERE org = $1 AND seq = $5`,
    [org, range.toBytes(), latest, late, range.size],
  );
}
