import type { Schemas } from '@holdfast/api-client';

export interface NumberSeries {
  /** Beginnings of the time spans, in seconds. */
  times: number[];
  values: (number | null)[];
  /** Of the whole range, where it has a meaning; else the last value. */
  shown: number | undefined;
  /** Values are shares of one. */
  isRate: boolean;
}

/** One line of a metric: counts, live credentials, or the share of offers that were claimed. */
export function seriesOf({ metric, buckets, series }: Schemas['Analytics']): NumberSeries {
  const points = series[0]?.values ?? [];
  const values = points.map((point) => {
    if ('rate' in point || 'claimed' in point) return point.rate ?? null;
    if ('customers' in point) return point.customers;
    return 'live' in point ? point.live : point.count;
  });
  const counts = values.filter((value) => value !== null);
  const isSum = metric === 'offers' || metric === 'claims' || metric === 'sign-ins';
  const offers = points.reduce((sum, point) => sum + ('claimed' in point ? point.offers : 0), 0);
  const claimed = points.reduce((sum, point) => sum + ('claimed' in point ? point.claimed : 0), 0);
  const rate = offers === 0 ? undefined : claimed / offers;
  const isRate = metric === 'claim-rate';
  return {
    times: buckets.map((at) => Date.parse(at) / 1000),
    values,
    shown: isRate ? rate : isSum ? counts.reduce((sum, value) => sum + value, 0) : counts.at(-1),
    isRate,
  };
}
