import { actionNames, retentionOf, type Action } from '@holdfast/contracts';
import type { TestDatabase } from '@holdfast/testing';
import { monthOf } from '../retention/months.js';

const generatedActions = ['subject.read', 'offer.create', 'subject.list', 'app.create'] as const satisfies Action[];
const start = Date.UTC(2026, 0, 1);
const days = 180;

/** A log of `count` entries, evenly over half a year. */
export interface GeneratedLog {
  tables: TestDatabase;
  count: number;
  /** When the entry of that seq happened. */
  timeOf: (seq: number) => string;
}

/**
 * Entries of organization `acme`: the action by seq % 4, 50 actors, 100 targets, outcome `denied` each hundredth, one
 * in 1000 a minute late. Proves nothing: its hashes are empty.
 */
export async function generateLog(tables: TestDatabase, count: number): Promise<GeneratedLog> {
  const step = Math.floor((days * 86_400_000) / count);
  const timeOf = (seq: number) => new Date(start + seq * step).toISOString();
  const months = Array.from({ length: 7 }, (_, i) => monthOf(new Date(start)) + i);
  for (const month of months) await tables.query('SELECT audit.make_partitions($1)', [month]);
  const classes = actionNames.map((action) => `WHEN '${action}' THEN '${retentionOf(action)}'`).join(' ');
  // In batches, so that each statement stays short.
  const batchSize = 500_000;
  for (let from = 1; from <= count; from += batchSize) {
    await tables.query(
      `INSERT INTO audit.entry (org, seq, class, month, occurred_at, action, actor_id, outcome, leaf)
       SELECT 'acme', seq, CASE action ${classes} END,
         extract(year FROM at AT TIME ZONE 'UTC')::int * 12 + extract(month FROM at AT TIME ZONE 'UTC')::int - 1,
         CASE WHEN seq % 1000 = 0 THEN at - interval '1 minute' ELSE at END, action, 'app-' || seq % 50,
         CASE WHEN seq % 100 = 0 THEN 'denied' WHEN seq % 10 = 1 THEN 'failure' ELSE 'success' END,
         convert_to(json_build_object('id', seq, 'action', action,
           'actor', json_build_object('type', 'app', 'id', 'app-' || seq % 50),
           'targets', '[]'::json, 'note', repeat('x', 300))::text, 'UTF8')
       FROM (
         SELECT seq, timestamptz 'epoch' + ($3::bigint + seq::bigint * $4) * interval '1 millisecond' AS at,
           ($5::text[])[1 + (seq % 4)] AS action
           FROM generate_series($1::int, $2::int) AS seq) s`,
      [from, Math.min(count, from + batchSize - 1), start, step, generatedActions],
    );
  }
  await tables.query(
    `INSERT INTO audit.entry_target SELECT org, 'target-' || seq % 100, seq, class, month FROM audit.entry`,
  );
  await tables.query(
    `INSERT INTO audit.leaf SELECT org, seq, gen_random_uuid(), class, month, false, '' FROM audit.entry ORDER BY seq`,
  );
  await tables.query(
    `INSERT INTO audit.subtree
     SELECT 'acme', 1, index, '',
            timestamptz 'epoch' + ($2::bigint + (index + 1)::bigint * 256 * $3) * interval '1 millisecond'
       FROM generate_series(0, $1::int / 256 - 1) AS index`,
    [count, start, step],
  );
  await tables.query(
    `INSERT INTO audit.head (org, seq, month, latest, late_ms)
     SELECT 'acme', $1, (SELECT max(month) FROM audit.leaf), now(), 60000`,
    [count],
  );
  await tables.query('VACUUM ANALYZE audit.entry');
  await tables.query('VACUUM ANALYZE audit.entry_target');
  await tables.query('VACUUM ANALYZE audit.leaf');
  await tables.query('ANALYZE audit.subtree');
  return { tables, count, timeOf };
}
