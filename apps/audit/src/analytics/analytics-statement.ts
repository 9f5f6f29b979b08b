import type { AnalyticsGroup, AnalyticsMetric } from '@holdfast/contracts';
import { statement, type Statement } from '@holdfast/data';
import { longRollUpMinutes, rollUpMinutes, spansOf, type Span } from './calendar.js';
import type { CountedAs } from './tally.js';

/** One row at least. Without `bucket` it has only the place up to which the log is counted. */
export interface AnalyticsRow {
  counted: number;
  latest: Date | null;
  head: number;
  /** Whether the long roll-ups contain all that is counted. */
  hasLong: boolean;
  bucket: number | null;
  metric?: CountedAs;
  group?: string;
  part?: string;
  count?: number;
  sketch?: Buffer;
}

/** What happened before the first bucket. */
export const before = -1;

interface Source {
  metrics: CountedAs[];
  /** Whether counts of different parts are no counts of the same: states and classes of durations. */
  byPart?: boolean;
  /** Whether a value is the sum of everything up to the end of its bucket. */
  cumulative?: boolean;
}

/** From which counts a metric is calculated. */
export const sources: Record<Exclude<AnalyticsMetric, 'active-customers'>, Source> = {
  offers: { metrics: ['offers'] },
  claims: { metrics: ['claims'] },
  'claim-rate': { metrics: ['offers', 'claimed-offers'] },
  'time-to-claim': { metrics: ['time-to-claim'], byPart: true },
  recoveries: { metrics: ['recoveries'] },
  'sign-ins': { metrics: ['sign-ins'] },
  'failed-sign-ins': { metrics: ['failed-sign-ins'] },
  credentials: { metrics: ['credentials'], byPart: true, cumulative: true },
  'api-calls': { metrics: ['api-calls'] },
  'denied-requests': { metrics: ['denied-requests'] },
};

/** Place and numbers come from one statement, so that the place is that of the numbers. */
const withPlace = (found: string) => `
SELECT coalesce(c.seq, 0) AS counted, c.latest, coalesce(h.seq, 0) AS head,
    coalesce(c.long_seq = c.seq, true) AS "hasLong", found.*
  FROM (SELECT $1::text AS org) o LEFT JOIN head h USING (org) LEFT JOIN analytics_cursor c USING (org)
    LEFT JOIN LATERAL (${found}) found ON true`;
const spans = `unnest((SELECT $2::int[]), (SELECT $3::int[]), (SELECT $4::timestamptz[]), (SELECT $5::timestamptz[]))
  AS s(bucket, minutes, first, "end")`;
/** OFFSET 0 keeps the planner at one range of the primary key for each span. */
const inSpan = 'minutes = s.minutes AND at >= s.first AND at < s."end" OFFSET 0';

const selectCounts = statement(
  'analytics_counts',
  withPlace(`
    SELECT s.bucket, m.metric,
        CASE $7 WHEN 'app' THEN r.app WHEN 'credentialType' THEN r.credential_type WHEN 'reason' THEN r.part
          ELSE '' END AS "group",
        CASE WHEN $8 THEN r.part ELSE '' END AS part, sum(r.count)::bigint AS count
      FROM unnest((SELECT $6::text[])) AS m(metric), ${spans},
        LATERAL (SELECT * FROM analytics_count WHERE org = $1 AND metric = m.metric AND ${inSpan}) r
     GROUP BY 1, 2, 3, 4`),
);
const selectSketches = statement(
  'analytics_read_sketches',
  withPlace(`
    SELECT s.bucket, r.sketch
      FROM ${spans}, LATERAL (SELECT sketch FROM analytics_sketch WHERE org = $1 AND ${inSpan}) r`),
);

/** Without `useLong`, what happened before the first bucket is summed from days: as many as the log is old. */
export function analyticsStatement(
  org: string,
  { metric, groupBy }: { metric: AnalyticsMetric; groupBy?: AnalyticsGroup | undefined },
  bounds: readonly number[],
  useLong = true,
): { statement: Statement; values: unknown[] } {
  const source: Source | undefined = metric === 'active-customers' ? undefined : sources[metric];
  const past = (to: number) => spansOf(0, to, useLong ? [...longRollUpMinutes, ...rollUpMinutes] : rollUpMinutes);
  const inBuckets = bounds
    .slice(0, -1)
    .flatMap((from, bucket) => spansOf(from, bounds[bucket + 1]!).map((span) => ({ bucket, ...span })));
  const all: (Span & { bucket: number })[] = [
    ...(source?.cumulative ? past(bounds[0]!).map((span) => ({ bucket: before, ...span })) : []),
    ...inBuckets,
  ];
  const values = [
    org,
    all.map(({ bucket }) => bucket),
    all.map(({ minutes }) => minutes),
    all.map(({ from }) => new Date(from)),
    all.map(({ to }) => new Date(to)),
  ];
  return source
    ? { statement: selectCounts, values: [...values, source.metrics, groupBy ?? '', source.byPart === true] }
    : { statement: selectSketches, values };
}
