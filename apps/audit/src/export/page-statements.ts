import { statement } from '@holdfast/data';

/**
 * Where somebody wrote that it is never or always over; what has no date in JSON would end the export, where a verifier
 * should see it.
 */
const dated = (time: string): string => `least(greatest(${time}, timestamptz 'epoch'), timestamptz '9999-12-31')`;

/** SELECT hides the number from the planner, which would make a plan for each. */
export const pagePlaces = statement(
  'export_places',
  `SELECT p.seq, p.id, p.leaf_hash AS "leafHash", p.class, p.month,
     CASE WHEN p.seq % 256 = 0 THEN (SELECT ${dated('s.last_at')} FROM subtree s WHERE s.org = p.org AND s.level = 1 AND s.index = p.seq / 256 - 1) END AS "lastAt"
   FROM place p WHERE p.org = $1 AND p.seq > $2 AND p.seq <= $3 ORDER BY p.seq LIMIT (SELECT $4::int)`,
);

/**
 * Entries that are read for one page, at most: twice as many as a page has places, so that rows which were put in
 * cannot make it grow without end.
 */
export const mostEntries = 1000;

const columns = `e.seq, e.class, e.month, ${dated('e.occurred_at')} AS "occurredAt", e.action, e.actor_id AS actor, e.outcome, e.person, e.personal, e.leaf`;

/**
 * All rows of a span of places, wherever they lie: those that belong there and those that somebody put in. One look
 * into the index of each partition, whatever the size of the log: with a condition that may or may not hold (`$4 OR seq
 * <= $3`) a plan for all values reads each partition to its end.
 */
export const pageEntries = statement(
  'export_entries',
  `SELECT ${columns} FROM entry e WHERE e.org = $1 AND e.seq > $2 AND e.seq <= $3 ORDER BY e.seq LIMIT ${mostEntries}`,
);

/** Rows behind the end of the log: no place was given to them. */
export const strayEntries = statement(
  'export_strays',
  `SELECT ${columns} FROM entry e WHERE e.org = $1 AND e.seq > coalesce((SELECT seq FROM head WHERE org = $1), 0) AND e.seq > $2 ORDER BY e.seq LIMIT 100`,
);

/**
 * OFFSET 0 keeps the planner at one look per entry, in the one partition where it lies, and at the index by place: the
 * one by target begins with `org` too.
 */
export const pageTargets = statement(
  'export_targets',
  `SELECT q.n, t.target FROM unnest((SELECT $2::int[]), (SELECT $3::bigint[]), (SELECT $4::text[]), (SELECT $5::int[])) AS q(n, seq, class, month),
     LATERAL (SELECT org, target FROM entry_target WHERE seq = q.seq AND class = q.class AND month = q.month OFFSET 0) t WHERE t.org = $1`,
);

export const lateness = statement('export_late', 'SELECT late_ms AS "lateMs" FROM head WHERE org = $1');

export const lastPlace = statement('export_last', 'SELECT seq FROM place WHERE org = $1 ORDER BY seq DESC LIMIT 1');
