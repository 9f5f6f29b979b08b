import { expect, test } from '@jest/globals';
import type { Schemas } from '@holdfast/api-client';
import { seriesOf } from './number-series.ts';

const analytics = (metric: Schemas['Analytics']['metric'], values: object[]) =>
  ({
    metric,
    interval: 'day',
    timezone: 'UTC',
    asOf: { seq: 1, remaining: 0 },
    buckets: ['2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
    to: '2026-11-22T00:00:00.000Z',
    series: [{ values }],
  }) as Schemas['Analytics'];

test.each<[string, Schemas['Analytics'], object]>([
  [
    'offers are added up',
    analytics('offers', [{ count: 3 }, { count: 4 }]),
    { values: [3, 4], shown: 7, isRate: false },
  ],
  [
    'the rate of claims is that of all offers, and has gaps where there were none',
    analytics('claim-rate', [
      { offers: 0, claimed: 0 },
      { offers: 4, claimed: 3, rate: 0.75 },
    ]),
    { values: [null, 0.75], shown: 0.75, isRate: true },
  ],
  [
    'a rate without offers is not known',
    analytics('claim-rate', [
      { offers: 0, claimed: 0 },
      { offers: 0, claimed: 0 },
    ]),
    { shown: undefined },
  ],
  [
    'active customers are no sum',
    analytics('active-customers', [{ customers: 5 }, { customers: 6 }]),
    { values: [5, 6], shown: 6 },
  ],
  [
    'credentials are those that are live now',
    analytics('credentials', [
      { offered: 1, live: 2, suspended: 0, expired: 0, revoked: 0 },
      { offered: 1, live: 9, suspended: 0, expired: 0, revoked: 0 },
    ]),
    { values: [2, 9], shown: 9, times: [1763596800, 1763683200].map((s) => s + 365 * 86_400) },
  ],
  ['nothing is counted yet', { ...analytics('offers', []), series: [] }, { values: [], shown: 0 }],
])('%s', (_, given, expected) => expect(seriesOf(given)).toMatchObject(expected));
