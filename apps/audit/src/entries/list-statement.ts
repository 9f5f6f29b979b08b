import type { AuditFilter } from '@holdfast/contracts';
import { statement, type Statement } from '@holdfast/data';

export interface ListQuery {
  org: string;
  filter: AuditFilter;
  /** Only places before this one. */
  before?: number;
  limit: number;
}

/** Constant SQL in front of each parameter; nothing that a caller sends becomes part of a statement. */
const conditions = {
  action: 'e.action = ',
  actor: 'e.actor_id = ',
  target: 't.target = ',
  outcome: 'e.outcome = ',
  from: 'e.occurred_at >= ',
  to: 'e.occurred_at < ',
} as const satisfies Record<keyof AuditFilter, string>;
type Condition = keyof typeof conditions;

const statements = new Map<string, Statement>();

/**
 * The statement for what a caller filters by, newest first, and its values. Each combination has a statement of its own:
 * one for all, with parameters that may be null, would have a plan that suits none.
 */
export function listStatement({ org, filter, before, limit }: ListQuery): { statement: Statement; values: unknown[] } {
  const used = (Object.keys(conditions) as Condition[]).filter((name) => filter[name] !== undefined);
  const shape = [...used, ...(before === undefined ? [] : ['before'])].join('_');
  let prepared = statements.get(shape);
  if (!prepared) statements.set(shape, (prepared = build(shape, used, before !== undefined)));
  return { statement: prepared, values: [org, limit, ...used.map((name) => filter[name]), ...(before === undefined ? [] : [before])] };
}

function build(shape: string, used: Condition[], continued: boolean): Statement {
  const byTarget = used.includes('target');
  const [table, places] = byTarget ? ['entry_target t JOIN entry e ON e.org = t.org AND e.seq = t.seq', 't'] : ['entry e', 'e'];
  const where = [`${places}.org = $1`, ...used.map((name, i) => `${conditions[name]}$${i + 3}`)];
  if (continued) where.push(`${places}.seq < $${used.length + 3}`);
  const text = `SELECT e.seq, e.leaf FROM ${table} WHERE ${where.join(' AND ')} ORDER BY ${places}.seq DESC LIMIT $2`;
  // How many entries lie in a span of time differs from span to span, so those are planned anew each time: no name.
  return statement(used.includes('from') || used.includes('to') ? '' : `entry_list_${shape}`, text);
}
