import { Controller, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  analyticsIntervalMs,
  analyticsMetricNames,
  analyticsMetrics,
  analyticsQuerySchema,
  analyticsSchema,
  readAnalytics,
  shortId,
  type Analytics,
} from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { CLOCK, type Clock } from '@holdfast/platform';
import { contextOf } from '../../edge/request-context.js';
import { Route } from '../../endpoints/route.js';
import { Input, invalidRequest } from '../../requests/input.js';

/** How many intervals before `to` a request without `from` reads. */
const defaultIntervals = 30;

const getAnalyticsEndpoint = endpoint({
  id: 'getAnalytics',
  method: 'GET',
  path: '/o/{shortId}/api/admin/analytics/{metric}',
  tag: 'Admin API: analytics',
  summary: 'Get the numbers of a metric over time',
  description:
    'Counts of the audit log, with a value for each bucket of the time span. The first bucket contains `from`, the ' +
    'last one begins before `to`, and each is whole. `asOf` says up to which event of the log the numbers reach: ' +
    'usually a few seconds ago. docs/analytics.md defines each metric and says which `groupBy` it has. A request can ' +
    'have 750 buckets at most, and 100 of `active-customers`.',
  operation: 'analytics:read',
  action: 'analytics.read',
  params: z.strictObject({
    shortId,
    metric: z
      .enum(analyticsMetricNames)
      .describe(analyticsMetricNames.map((name) => `\`${name}\`: ${analyticsMetrics[name].description}`).join('. ')),
  }),
  query: analyticsQuerySchema.extend({
    from: analyticsQuerySchema.shape.from
      .optional()
      .describe(
        `The first bucket is the one of this time, RFC 3339; by default ${defaultIntervals} intervals before \`to\``,
      ),
    to: analyticsQuerySchema.shape.to.optional().describe('The last bucket begins before this time; by default now'),
  }),
  responses: { 200: { description: 'The numbers', schema: analyticsSchema } },
  examples: {
    response: {
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
  },
});

@Controller()
export class AnalyticsController {
  constructor(
    private readonly bus: Bus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Route(getAnalyticsEndpoint)
  async get(
    @Input() { params: { metric }, query }: InputOf<typeof getAnalyticsEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<Analytics> {
    const to = query.to ?? this.clock.now().toISOString();
    const spanMs = defaultIntervals * analyticsIntervalMs[query.interval];
    const from = query.from ?? new Date(Date.parse(to) - spanMs).toISOString();
    const checked = readAnalytics.request.safeParse({ ...query, metric, from, to });
    if (!checked.success)
      throw invalidRequest(
        checked.error.issues.map(({ path, message }) => ({ parameter: String(path[0]), detail: message })),
      );
    return this.bus.request(readAnalytics, checked.data, contextOf(request));
  }
}
