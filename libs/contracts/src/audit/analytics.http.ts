import { http } from '../http/forwarded.js';
import { analyticsIntervalMs, analyticsQuerySchema, readAnalytics } from './analytics.js';

/** How many intervals before `to` a request without `from` reads. */
const defaultIntervals = 30;
const { shape } = analyticsQuerySchema;

export const analyticsEndpoints = [
  http(readAnalytics, {
    id: 'getAnalytics',
    method: 'GET',
    path: '/o/{shortId}/api/admin/analytics/{metric}',
    tag: 'Admin API: analytics',
    summary: 'Get the numbers of a metric over time',
    description:
      'Counts of the audit log, with a value for each bucket of the time span. The first bucket contains `from`, the ' +
      'last one begins before `to`, and each is whole. `asOf` says up to which event of the log the numbers reach: ' +
      'usually a few seconds ago. docs/analytics.md defines each metric and says which `groupBy` it has. A request ' +
      'can have 750 buckets at most, and 100 of `active-customers`.',
    operation: 'analytics:read',
    action: 'analytics.read',
    query: {
      ...shape,
      from: shape.from
        .optional()
        .describe(
          `The first bucket is the one of this time, RFC 3339; by default ${defaultIntervals} intervals before \`to\``,
        ),
      to: shape.to.optional().describe('The last bucket begins before this time; by default now'),
    },
    response: 'The numbers',
    example: {
      metric: 'claim-rate',
      interval: 'day',
      timezone: 'Europe/Berlin',
      asOf: { seq: 1789, occurredAt: '2026-11-22T08:12:31.507Z', remaining: 0 },
      buckets: ['2026-11-20T23:00:00.000Z', '2026-11-21T23:00:00.000Z'],
      to: '2026-11-22T23:00:00.000Z',
      series: [
        {
          values: [
            { offers: 40, claimed: 31, rate: 0.775 },
            { offers: 0, claimed: 0 },
          ],
        },
      ],
    },
    request: ({ params: { metric }, query }, _, now) => {
      const to = query.to ?? now.toISOString();
      const spanMs = defaultIntervals * analyticsIntervalMs[query.interval];
      const from = query.from ?? new Date(Date.parse(to) - spanMs).toISOString();
      return { ...query, metric, from, to };
    },
    check: (request) =>
      readAnalytics.request
        .safeParse(request)
        .error?.issues.map(({ path, message }) => ({ parameter: String(path[0]), detail: message })) ?? [],
    targets: () => [],
  }),
];
