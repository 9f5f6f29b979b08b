import { z } from 'zod';
import { query } from '../contract.js';
import { instant } from '../fields.js';
import { anyInstant } from './audit.js';

const analyticsGroups = ['app', 'credentialType', 'reason'] as const;
export type AnalyticsGroup = (typeof analyticsGroups)[number];

interface MetricDefinition {
  description: string;
  groups: readonly AnalyticsGroup[];
}

const byCredential = ['app', 'credentialType'] as const;

/** What the numbers count, one by one: docs/analytics.md. */
export const analyticsMetrics = {
  offers: { description: 'Offers that were made', groups: byCredential },
  claims: { description: 'Offers that were claimed, recoveries included', groups: byCredential },
  'claim-rate': {
    description: 'Of the offers that were made in a bucket, those that have been claimed since',
    groups: byCredential,
  },
  'time-to-claim': { description: 'Time from an offer to its claim, by the time of the claim', groups: byCredential },
  recoveries: { description: 'Claims of a credential that the customer had claimed before', groups: byCredential },
  'sign-ins': { description: 'Sign-ins of customers to apps', groups: byCredential },
  'failed-sign-ins': { description: 'Sign-ins of customers that failed or were denied', groups: ['app', 'reason'] },
  'active-customers': { description: 'Different customers who claimed or signed in, estimated', groups: [] },
  credentials: { description: 'Credentials in each state at the end of a bucket', groups: byCredential },
  'api-calls': { description: 'Requests of apps', groups: ['app'] },
  'denied-requests': { description: 'Requests that were denied', groups: ['app', 'reason'] },
} as const satisfies Record<string, MetricDefinition>;
export type AnalyticsMetric = keyof typeof analyticsMetrics;
export const analyticsMetricNames = Object.keys(analyticsMetrics) as [AnalyticsMetric, ...AnalyticsMetric[]];

/** Approximate lengths: they bound the number of buckets of a request, and say how far back one reads by default. */
export const analyticsIntervalMs = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 30 * 86_400_000,
} as const;
const analyticsIntervals = ['hour', 'day', 'week', 'month'] as const;
export type AnalyticsInterval = (typeof analyticsIntervals)[number];

/** All hours of a month. */
const maxBuckets = 750;
/** A bucket of active customers may need the sketches of all its hours, 4 kB each. */
const maxSketchedBuckets = 100;

export const credentialStates = ['offered', 'live', 'suspended', 'expired', 'revoked'] as const;

/** Intl also accepts offsets, such as `+01:00`, which have no daylight saving time. */
function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

export const analyticsQuerySchema = z.strictObject({
  from: anyInstant.describe('The first bucket is the one of this time, RFC 3339'),
  to: anyInstant.describe('The last bucket begins before this time, RFC 3339'),
  interval: z.enum(analyticsIntervals).default('day').describe('Length of a bucket. Weeks begin on Monday'),
  groupBy: z.enum(analyticsGroups).optional().describe('A series for each value; docs/analytics.md says which apply'),
  timezone: z
    .string()
    .max(64)
    .refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin')
    .default('UTC')
    .describe('IANA time zone in which hours, days, weeks and months begin'),
});

const count = z.int().min(0);

const analyticsValueSchema = z
  .union([
    z.strictObject({
      offers: count.describe('Made in the bucket'),
      claimed: count.describe('Of these, claimed by now'),
      rate: z.number().optional().describe('`claimed` / `offers`; absent without offers'),
    }),
    z.strictObject({
      count: count.describe('How many; of `time-to-claim` the claims whose offer is known'),
      p50Ms: count.optional().describe('`time-to-claim`: half of them took at most this long; absent without claims'),
      p95Ms: count.optional().describe('`time-to-claim`: 95 % of them took at most this long'),
    }),
    z.strictObject({ customers: count.describe('Estimated, with a standard error of 1.6 %') }),
    z.strictObject({
      offered: count.describe('Offered and never claimed'),
      live: count.describe('Issued, and neither suspended nor expired'),
      suspended: count.describe('Suspended and not expired'),
      expired: count.describe('Issued or suspended, and expired'),
      revoked: count.describe('Revoked, or withdrawn before a claim'),
    }),
  ])
  .describe('Depends on the metric');
export type AnalyticsValue = z.infer<typeof analyticsValueSchema>;

const analyticsSchema = z
  .strictObject({
    metric: z.enum(analyticsMetricNames).describe('As requested'),
    interval: z.enum(analyticsIntervals).describe('As requested'),
    timezone: z.string().describe('As requested'),
    groupBy: z.enum(analyticsGroups).optional().describe('As requested'),
    asOf: z
      .strictObject({
        seq: z.int().min(0).describe('The numbers contain the log up to this event'),
        occurredAt: instant.optional().describe('When the latest of these events happened; absent without any'),
        remaining: z.int().min(0).describe('Events of the log that are not contained yet'),
      })
      .describe('What the numbers contain'),
    buckets: z.array(instant).describe('The beginning of each bucket, in order'),
    to: instant.describe('The end of the last bucket'),
    series: z
      .array(
        z.strictObject({
          group: z.string().optional().describe('Value of `groupBy`; absent for all others, and without `groupBy`'),
          values: z.array(analyticsValueSchema).describe('One for each bucket'),
        }),
      )
      .describe('With `groupBy`, the 20 largest groups, and a series without `group` for all others if there are any'),
  })
  .meta({ id: 'Analytics' });
export type Analytics = z.infer<typeof analyticsSchema>;

/** What a metric was counted as in each bucket of a time span. */
export const readAnalytics = query({
  service: 'audit',
  dividedByOrganization: true,
  timeoutMs: 1600,
  name: 'read-analytics',
  callers: ['gateway'],
  request: analyticsQuerySchema
    .extend({
      metric: z
        .enum(analyticsMetricNames)
        .describe(analyticsMetricNames.map((name) => `\`${name}\`: ${analyticsMetrics[name].description}`).join('. ')),
    })
    .superRefine(({ metric, from, to, interval, groupBy }, context) => {
      const { groups }: MetricDefinition = analyticsMetrics[metric];
      const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
      if (groupBy !== undefined && !groups.includes(groupBy))
        refuse(
          'groupBy',
          groups.length === 0 ? `cannot be given for ${metric}` : `must be ${groups.join(' or ')} for ${metric}`,
        );
      for (const path of ['from', 'to'] as const)
        if (!/^2[01]/.test({ from, to }[path])) refuse(path, 'must lie in the years 2000 to 2199');
      const spanMs = Date.parse(to) - Date.parse(from);
      const most = metric === 'active-customers' ? maxSketchedBuckets : maxBuckets;
      if (spanMs <= 0) refuse('to', 'must be after from');
      else if (spanMs > most * analyticsIntervalMs[interval])
        refuse('from', `must be at most ${most} ${interval}s before to; choose a longer interval`);
    }),
  reply: analyticsSchema,
});
