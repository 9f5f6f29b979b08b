import type { Pool } from 'pg';
import type { Case } from './cases.ts';
import { statements } from './statements.ts';

export interface Plan {
  name: string;
  /** 8 KiB pages, found in memory or read. */
  buffers: number;
  milliseconds: number;
  nodes: string;
}

interface Node {
  'Node Type': string;
  'Index Name'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Node[];
}

/** Buffers and plans of the queries of the two list pages. */
export async function explainPages(pool: Pool, cases: readonly Case[]): Promise<Plan[]> {
  const plans: Plan[] = [];
  for (const { name, baseline } of cases) {
    if (baseline?.kind !== 'sql' || !name.endsWith('list')) continue;
    const { text, values } = statements[name]!;
    const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Node; 'Execution Time': number }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values(baseline.args as never),
    );
    const [{ Plan: plan, 'Execution Time': milliseconds }] = rows[0]!['QUERY PLAN'];
    plans.push({
      name,
      buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
      milliseconds,
      nodes: nodesOf(plan),
    });
  }
  return plans;
}

function nodesOf(node: Node): string {
  const own = node['Index Name'] ? `${node['Node Type']} on ${node['Index Name']}` : node['Node Type'];
  return [own, ...(node.Plans ?? []).map(nodesOf)].join(' ← ');
}
