import {
  credentialStates,
  type Analytics,
  type AnalyticsGroup,
  type AnalyticsMetric,
  type AnalyticsValue,
} from '@holdfast/contracts';
import { before, sources, type AnalyticsRow } from './analytics-statement.js';
import { CustomerSketch } from './customer-sketch.js';
import { percentile } from './durations.js';
import type { CountedAs } from './tally.js';

type Series = Analytics['series'];
/** Counts of one bucket and group, by what they count and part. */
type Counts = Map<CountedAs, Map<string, number>>;

/** Groups with a series of their own. All others share one, so that the size of a response is bounded. */
const maxGroups = 20;

/** The rows of analyticsStatement as series with a value for each bucket. */
export function seriesOf(
  { metric, groupBy }: { metric: AnalyticsMetric; groupBy?: AnalyticsGroup | undefined },
  buckets: number,
  rows: readonly AnalyticsRow[],
): Series {
  const found = rows.filter(({ bucket }) => bucket !== null);
  if (metric === 'active-customers') return [{ values: activeCustomers(buckets, found) }];
  const named = groupBy === undefined ? new Set<string>() : largestGroups(found);
  const byGroup = Map.groupBy(found, ({ group = '' }) => (named.has(group) ? group : undefined));
  const groups = [...named, ...(groupBy === undefined || byGroup.has(undefined) ? [undefined] : [])];
  return groups.map((group) => ({
    ...(group !== undefined && { group }),
    values: valuesOf(metric, buckets, byGroup.get(group) ?? []),
  }));
}

/** The largest comes first. Entries without a value of the group count among all others. */
function largestGroups(rows: readonly AnalyticsRow[]): Set<string> {
  const totals = new Map<string, number>();
  for (const { group = '', count = 0 } of rows) totals.set(group, (totals.get(group) ?? 0) + Math.abs(count));
  totals.delete('');
  const sorted = [...totals].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return new Set(sorted.slice(0, maxGroups).map(([group]) => group));
}

function valuesOf(metric: keyof typeof sources, buckets: number, rows: readonly AnalyticsRow[]): AnalyticsValue[] {
  const { cumulative = false } = sources[metric];
  const byBucket = Map.groupBy(rows, ({ bucket }) => bucket);
  let counts = added(new Map<CountedAs, Map<string, number>>(), byBucket.get(before) ?? []);
  return Array.from({ length: buckets }, (_, bucket) => {
    counts = added(cumulative ? counts : new Map<CountedAs, Map<string, number>>(), byBucket.get(bucket) ?? []);
    return valueOf(metric, counts);
  });
}

function added(counts: Counts, rows: readonly AnalyticsRow[]): Counts {
  for (const { metric, part = '', count = 0 } of rows) {
    const parts = counts.get(metric!) ?? new Map<string, number>();
    parts.set(part, (parts.get(part) ?? 0) + count);
    counts.set(metric!, parts);
  }
  return counts;
}

function valueOf(metric: keyof typeof sources, counts: Counts): AnalyticsValue {
  const total = (of: CountedAs) => [...(counts.get(of)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  if (metric === 'claim-rate') {
    const [offers, claimed] = [total('offers'), total('claimed-offers')];
    return { offers, claimed, ...(offers > 0 && { rate: Math.round((claimed / offers) * 10_000) / 10_000 }) };
  }
  if (metric === 'time-to-claim') {
    const classes = counts.get(metric) ?? new Map<string, number>();
    const [p50Ms, p95Ms] = [percentile(classes, 0.5), percentile(classes, 0.95)];
    return { count: total(metric), ...(p50Ms !== undefined && { p50Ms }), ...(p95Ms !== undefined && { p95Ms }) };
  }
  if (metric === 'credentials') {
    const states = counts.get(metric);
    // A change that was recorded late may precede what it changed.
    const entries = credentialStates.map((state) => [state, Math.max(0, states?.get(state) ?? 0)] as const);
    return Object.fromEntries(entries) as Record<(typeof credentialStates)[number], number>;
  }
  return { count: total(metric) };
}

function activeCustomers(buckets: number, rows: readonly AnalyticsRow[]): AnalyticsValue[] {
  const sketches = Array.from({ length: buckets }, () => new CustomerSketch());
  for (const { bucket, sketch } of rows) sketches[bucket!]!.merge(sketch!);
  return sketches.map((sketch) => ({ customers: sketch.estimate() }));
}
