import { columns, namedStatement, statement, type Sql } from '@holdfast/data';
import { longRollUpMinutes, rollUpMinutes, type RollUpMinutes } from './calendar.js';
import { CustomerSketch } from './customer-sketch.js';
import type { Count, KnownCredential, Tally } from './tally.js';

interface Sketched {
  minutes: RollUpMinutes;
  /** Beginning of the roll-up, in ms. */
  at: number;
  sketch: CustomerSketch;
}

const lengths = (all: readonly number[]) =>
  `(VALUES ${all.map((minutes) => `(${minutes}, interval '${minutes} minutes')`).join(', ')}) AS l(minutes, length)`;
/** The roll-ups of every length that contain the given quarters of an hour. */
const eachLength = lengths([...rollUpMinutes, ...longRollUpMinutes]);
const isLong = `l.minutes > ${Math.max(...rollUpMinutes)}`;
const beginning = (at: string) => `date_bin(l.length, ${at}, 'epoch')`;

const selectCredentials = statement(
  'analytics_credentials',
  `SELECT credential, customer, app, credential_type AS "credentialType", status, expired, offer,
     offered_at AS "offeredAt"
   FROM (
     SELECT k.* FROM unnest((SELECT $2::text[])) AS q(credential),
       LATERAL (SELECT * FROM analytics_credential WHERE org = $1 AND credential = q.credential LIMIT 1) k
     UNION
     SELECT k.* FROM unnest((SELECT $3::text[])) AS q(customer),
       LATERAL (SELECT * FROM analytics_credential WHERE org = $1 AND customer = q.customer OFFSET 0) k) found`,
);
const selectSketches = statement(
  'analytics_sketches',
  `SELECT q.minutes, q.at, s.sketch
     FROM unnest((SELECT $2::int[]), (SELECT $3::timestamptz[])) AS q(minutes, at),
       LATERAL (SELECT sketch FROM analytics_sketch WHERE org = $1 AND minutes = q.minutes AND at = q.at LIMIT 1) s`,
);
/** Everything that a batch changes, with the place up to which the log is counted now. */
export const writeTally = namedStatement(
  'analytics_write',
  {
    org: 'text',
    counts: columns<Count>({
      metric: ['text', (c) => c.metric],
      at: ['timestamptz', (c) => new Date(c.at)],
      app: ['text', (c) => c.app],
      credential_type: ['text', (c) => c.credentialType],
      part: ['text', (c) => c.part],
      count: ['bigint', (c) => c.count],
    }),
    sketches: columns<Sketched>({
      minutes: ['int', (s) => s.minutes],
      at: ['timestamptz', (s) => new Date(s.at)],
      sketch: ['bytea', (s) => s.sketch.toBytes()],
    }),
    changed: columns<KnownCredential>({
      credential: ['text', (k) => k.credential],
      customer: ['text', (k) => k.customer],
      app: ['text', (k) => k.app],
      credential_type: ['text', (k) => k.credentialType],
      status: ['text', (k) => k.status],
      expired: ['boolean', (k) => k.expired],
      offer: ['text', (k) => k.offer ?? null],
      offered_at: ['timestamptz', (k) => k.offeredAt ?? null],
    }),
    removed: columns<string>({ credential: ['text', (credential) => credential] }),
    seq: 'bigint',
    latest: 'timestamptz',
  },
  ({ org, counts, sketches, changed, removed, seq, latest }) =>
    `WITH counts AS (
     INSERT INTO analytics_count AS c (org, metric, minutes, at, app, credential_type, part, count)
     SELECT ${org}, q.metric, l.minutes, ${beginning('q.at')}, q.app, q.credential_type, q.part, sum(q.count)
       FROM ${counts.unnestOfAnyLength('q')}, ${eachLength}
      WHERE q.metric = 'credentials' OR NOT ${isLong}
      GROUP BY 2, 3, 4, 5, 6, 7
     ON CONFLICT (org, metric, minutes, at, app, credential_type, part) DO UPDATE SET count = c.count + excluded.count),
   sketches AS (
     INSERT INTO analytics_sketch (org, ${sketches.names})
     SELECT ${org}, * FROM ${sketches.unnestOfAnyLength('q')}
     ON CONFLICT (org, minutes, at) DO UPDATE SET sketch = excluded.sketch),
   credentials AS (
     INSERT INTO analytics_credential (org, ${changed.names})
     SELECT ${org}, * FROM ${changed.unnestOfAnyLength('q')}
     ON CONFLICT (org, credential) DO UPDATE SET status = excluded.status, expired = excluded.expired,
       offer = excluded.offer, offered_at = excluded.offered_at),
   removed AS (
     DELETE FROM analytics_credential k USING ${removed.unnestOfAnyLength('q')}
      WHERE k.org = ${org} AND k.credential = q.credential)
   UPDATE analytics_cursor SET seq = ${seq}, long_seq = ${seq}, latest = greatest(latest, ${latest}::timestamptz)
    WHERE org = ${org}`,
);

/** The long roll-ups, after a version that does not know them has counted. */
export const writeLongCounts = statement(
  'analytics_write_long',
  `INSERT INTO analytics_count (org, metric, minutes, at, app, credential_type, part, count)
   SELECT c.org, c.metric, l.minutes, ${beginning('c.at')}, c.app, c.credential_type, c.part, sum(c.count)
     FROM analytics_count c, ${lengths(longRollUpMinutes)}
    WHERE c.org = $1 AND c.metric = 'credentials' AND c.minutes = ${Math.max(...rollUpMinutes)}
    GROUP BY 1, 2, 3, 4, 5, 6, 7
   ON CONFLICT (org, metric, minutes, at, app, credential_type, part) DO UPDATE SET count = excluded.count`,
);

/** Those that the entries of a batch concern. */
export async function knownCredentials(
  sql: Sql,
  org: string,
  concerned: { credentials: string[]; erasedCustomers: string[] },
): Promise<KnownCredential[]> {
  const rows = await sql.rows<KnownCredential>(selectCredentials, [
    org,
    concerned.credentials,
    concerned.erasedCustomers,
  ]);
  return rows.map(({ offer, offeredAt, ...row }) => ({ ...row, ...(offer && offeredAt && { offer, offeredAt }) }));
}

/** The stored sketches of the active customers of a batch, with these customers added. */
export async function extendedSketches(sql: Sql, org: string, active: Tally['active']): Promise<Sketched[]> {
  const sketches = new Map<string, Sketched>();
  const sketchOf = (minutes: RollUpMinutes, time: number): CustomerSketch => {
    const at = time - (time % (minutes * 60_000));
    const key = `${minutes} ${at}`;
    const found = sketches.get(key) ?? { minutes, at, sketch: new CustomerSketch() };
    sketches.set(key, found);
    return found.sketch;
  };
  for (const [at, pseudonyms] of active)
    for (const minutes of rollUpMinutes) for (const each of pseudonyms) sketchOf(minutes, at).add(each);
  if (sketches.size === 0) return [];
  const all = [...sketches.values()];
  const stored = await sql.rows<{ minutes: RollUpMinutes; at: Date; sketch: Buffer }>(selectSketches, [
    org,
    all.map(({ minutes }) => minutes),
    all.map(({ at }) => new Date(at)),
  ]);
  for (const { minutes, at, sketch } of stored) sketchOf(minutes, at.getTime()).merge(sketch);
  return all;
}
