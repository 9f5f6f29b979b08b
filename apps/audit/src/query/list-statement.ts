import { retentionOf, type AuditFilter } from '@holdfast/contracts';
import { statement, type Statement } from '@holdfast/data';

/** Those that the log has made; a row with another index would cut off more than it knows of. */
const complete = 's.org = $1 AND s.level = 1 AND s.index BETWEEN 0 AND head.seq / 256 - 1';

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
 * The statement for what a caller filters by, newest first, and its values. Each combination has a statement of its
 * own: one for all, with parameters that may be null, would have a plan that suits none.
 */
export function listStatement({ org, filter, before, limit }: ListQuery): { statement: Statement; values: unknown[] } {
  const used = (Object.keys(conditions) as Condition[]).filter((name) => filter[name] !== undefined);
  const shape = [...used, ...(before === undefined ? [] : ['before'])].join('_');
  let prepared = statements.get(shape);
  if (!prepared)
    statements.set(shape, (prepared = statement(`entry_list_${shape}`, build(used, before !== undefined))));
  const values = [org, limit, ...used.map((name) => filter[name]), ...(before === undefined ? [] : [before])];
  // An action lies in the partitions of one class.
  return {
    statement: prepared,
    values: filter.action === undefined ? values : [...values, retentionOf(filter.action)],
  };
}

/** OFFSET 0 keeps the planner at one look per target, in the one partition where its entry lies. */
const ofTarget =
  'SELECT * FROM entry e WHERE e.org = t.org AND e.seq = t.seq AND e.class = t.class AND e.month = months.month';

/**
 * From month to month, newest first, and no further than the page needs: a month's places all come after those of the
 * month before, so LIMIT may stop in between. A time is looked up among the complete subtrees: up to the end of the
 * last one that ended before `from`, nothing is as late; behind the first one that ended `late_ms` after `to`, nothing
 * is as early.
 */
function build(used: Condition[], continued: boolean): string {
  const parameter = (name: Condition) => `$${used.indexOf(name) + 3}`;
  const next = used.length + 3;
  const below = ['head.seq', ...(continued ? [`$${next}::bigint - 1`] : [])];
  if (used.includes('to')) {
    below.push(
      `(SELECT (s.index + 1) * 256 FROM subtree s WHERE ${complete} AND s.last_at >= ${parameter('to')}::timestamptz + head.late_ms * interval '1 millisecond' ORDER BY s.last_at, s.index LIMIT 1)`,
    );
  }
  const above = used.includes('from')
    ? `coalesce((SELECT (s.index + 1) * 256 + 1 FROM subtree s WHERE ${complete} AND s.last_at < ${parameter('from')}::timestamptz ORDER BY s.last_at DESC, s.index DESC LIMIT 1), 1)`
    : '1::bigint';
  const byTarget = used.includes('target');
  const places = byTarget ? 't' : 'e';
  const where = [
    `${places}.org = $1`,
    `${places}.month = months.month`,
    `${places}.seq BETWEEN span.first AND span.last`,
    ...used.map((name) => `${conditions[name]}${parameter(name)}`),
    ...(used.includes('action') ? [`${places}.class = $${next + (continued ? 1 : 0)}`] : []),
  ];
  return `
SELECT found.* FROM
  (SELECT ${above} AS first, least(${below.join(', ')}) AS last FROM head WHERE org = $1) span,
  LATERAL generate_series(
    (SELECT month FROM place WHERE org = $1 AND seq <= span.last ORDER BY seq DESC LIMIT 1),
    (SELECT month FROM place WHERE org = $1 AND seq >= span.first ORDER BY seq LIMIT 1), -1) AS months(month),
  LATERAL (
    SELECT e.seq, e.leaf, e.person, e.personal
    FROM ${byTarget ? `entry_target t, LATERAL (${ofTarget} OFFSET 0) e` : 'entry e'}
    WHERE ${where.join(' AND ')} ORDER BY ${places}.seq DESC LIMIT $2) found
LIMIT $2`;
}
