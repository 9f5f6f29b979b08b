import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, path } from '../api/client.ts';
import { seriesOf } from './number-series.ts';

export type Metric = 'offers' | 'claims' | 'claim-rate' | 'sign-ins' | 'active-customers' | 'credentials';
export type Range = 'day' | 'month' | 'year';

const dayMs = 86_400_000;
const ranges = {
  day: { interval: 'hour', ms: dayMs },
  month: { interval: 'day', ms: 30 * dayMs },
  year: { interval: 'month', ms: 365 * dayMs },
} as const;

export const numbersQuery = (metric: Metric, range: Range) =>
  queryOptions({
    queryKey: ['numbers', metric, range],
    queryFn: async () => {
      const { interval, ms } = ranges[range];
      const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
      const from = new Date(Date.now() - ms).toISOString();
      return seriesOf(
        await dataOf(
          api.GET('/o/{shortId}/api/admin/analytics/{metric}', {
            params: { path: { ...path, metric }, query: { from, interval, timezone } },
          }),
        ),
      );
    },
    staleTime: 60_000,
  });
