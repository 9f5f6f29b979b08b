import { retentionOf, type AuditFilter } from '@holdfast/contracts';
import { statement, withinBytes, type Statement } from '@holdfast/data';
import { maxPageBytes, storedEntryBytes, storedEntryColumns, type StoredEntry } from './entry-decryption.js';

/** Complete subtrees below the head. A row beyond it was inserted by tampering and would hide entries. */
const complete = 's.org = $1 AND s.level = 1 AND s.index BETWEEN 0 AND head.seq / 256 - 1';

/** A found entry. `read`: how many were found, with those that were left out because the page is large enough. */
export type ListedEntry = StoredEntry & { read: number };

export interface ListQuery {
  org: string;
  filter: AuditFilter;
  /** Only entries before this `seq`, newest first. */
  before?: number;
  /** Only entries after this `seq`, oldest first. */
  after?: number;
  limit: number;
}

/** The SQL of each condition is constant; nothing that a caller sends becomes part of a statement. */
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
 * The statement for a filter, newest first or oldest first, and its values. Each combination of conditions has a
 * statement of its own: a single one, with parameters that may be null, would have a plan that suits none.
 */
export function listStatement({ org, filter, before, after, limit }: ListQuery): {
  statement: Statement;
  values: unknown[];
} {
  const used = (Object.keys(conditions) as Condition[]).filter((name) => filter[name] !== undefined);
  const from = after === undefined ? 'before' : 'after';
  const place = after ?? before;
  const shape = [...used, ...(place === undefined ? [] : [from])].join('_');
  let prepared = statements.get(shape);
  if (!prepared)
    statements.set(
      shape,
      (prepared = statement(`entry_list_${shape}`, build(used, place === undefined ? undefined : from))),
    );
  const values = [org, limit, ...used.map((name) => filter[name]), ...(place === undefined ? [] : [place])];
  // All entries of an action are in the partitions of one retention class.
  return {
    statement: prepared,
    values: filter.action === undefined ? values : [...values, retentionOf(filter.action)],
  };
}

/** OFFSET 0 keeps the planner at one lookup per target, in the one partition that contains its entry. */
const entryOfTarget =
  'SELECT * FROM entry e WHERE e.org = t.org AND e.seq = t.seq AND e.class = t.class AND e.month = months.month';

/**
 * Reads month by month, and no further than the page needs: all entries of a month come after those of the month
 * before, so LIMIT may stop in between. A time is translated to a `seq` by the complete subtrees: up to the end of the
 * last one that ended before `from`, no entry is as late; after the first one that ended `late_ms` after `to`, no entry
 * is as early. Oldest first, each row has the end of the log as `head`, and there is one row without `seq` when no
 * entry is found: the reader continues after the end that this statement saw. The entries of
 * a page have `maxPageBytes` together at most.
 */
function build(used: Condition[], place: 'before' | 'after' | undefined): string {
  const parameter = (name: Condition) => `$${used.indexOf(name) + 3}`;
  const next = used.length + 3;
  const below = ['head.seq', ...(place === 'before' ? [`$${next}::bigint - 1`] : [])];
  const above = [place === 'after' ? `$${next}::bigint + 1` : '1::bigint'];
  if (used.includes('to')) {
    below.push(
      `(SELECT (s.index + 1) * 256 FROM subtree s
          WHERE ${complete} AND s.last_at >= ${parameter('to')}::timestamptz + head.late_ms * interval '1 millisecond'
          ORDER BY s.last_at, s.index LIMIT 1)`,
    );
  }
  if (used.includes('from')) {
    above.push(
      `(SELECT (s.index + 1) * 256 + 1 FROM subtree s
          WHERE ${complete} AND s.last_at < ${parameter('from')}::timestamptz
          ORDER BY s.last_at DESC, s.index DESC LIMIT 1)`,
    );
  }
  const byTarget = used.includes('target');
  const rows = byTarget ? 't' : 'e';
  const where = [
    `${rows}.org = $1`,
    `${rows}.month = months.month`,
    `${rows}.seq BETWEEN span.first AND span.last`,
    ...used.map((name) => `${conditions[name]}${parameter(name)}`),
    ...(used.includes('action') ? [`${rows}.class = $${next + (place === undefined ? 0 : 1)}`] : []),
  ];
  const isAscending = place === 'after';
  const oldest = '(SELECT month FROM leaf WHERE org = $1 AND seq >= span.first ORDER BY seq LIMIT 1)';
  const newest = '(SELECT month FROM leaf WHERE org = $1 AND seq <= span.last ORDER BY seq DESC LIMIT 1)';
  const span = `(SELECT greatest(${above.join(', ')}) AS first, least(${below.join(', ')}) AS last, head.seq AS head
    FROM head WHERE org = $1) span`;
  const [first, last, step] = isAscending ? [oldest, newest, 1] : [newest, oldest, -1];
  const months = `generate_series(${first}, ${last}, ${step}) AS months(month)`;
  const found = `(
    SELECT ${storedEntryColumns}
    FROM ${byTarget ? `entry_target t, LATERAL (${entryOfTarget} OFFSET 0) e` : 'entry e'}
    WHERE ${where.join(' AND ')} ORDER BY ${rows}.seq ${isAscending ? '' : 'DESC '}LIMIT $2) found`;
  return isAscending
    ? `
SELECT span.head, page.* FROM ${span}
  LEFT JOIN LATERAL (${page(`SELECT found.* FROM ${months}, LATERAL ${found} LIMIT $2`, 'seq')}) page ON true`
    : page(`SELECT found.* FROM ${span}, LATERAL ${months}, LATERAL ${found} LIMIT $2`, 'seq DESC');
}

function page(query: string, order: string): string {
  const columns = 'seq, leaf, "keyId", "personalData"';
  return withinBytes({ query, columns, bytes: storedEntryBytes, order, maxBytes: maxPageBytes });
}
