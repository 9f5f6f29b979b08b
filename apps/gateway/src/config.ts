import { z } from 'zod';
import { baseConfigSchema, httpLogConfigSchema, keyFromEnv } from '@holdfast/platform';
import { rateLimitsSchema } from './endpoints/limit-classes.js';

const urls = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim().replace(/\/+$/, '')))
  .pipe(z.array(z.url()).min(1));

export const configSchema = baseConfigSchema.extend({
  ...httpLogConfigSchema.shape,
  HTTP_PORT: z.coerce.number().int().describe('Port of the API'),
  HTTP_HOST: z
    .string()
    .default('localhost')
    .describe('Address that port listens on: `localhost` is IPv4 and IPv6; a container says `0.0.0.0`'),
  HTTP_MAX_CONNECTIONS: z.coerce
    .number()
    .int()
    .min(1)
    .default(10_000)
    .describe('Connections of clients at once, in each replica; what comes beyond is closed'),
  HTTP_MAX_CONNECTIONS_PER_ADDRESS: z.coerce
    .number()
    .int()
    .min(1)
    .default(1000)
    .describe('The same of one IPv4 address or IPv6 /64; trusted proxies have no such limit'),
  HTTP_HEADERS_TIMEOUT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60)
    .default(10)
    .describe('By when the headers of a request must be here, in seconds after its first byte'),
  HTTP_BODY_TIMEOUT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60)
    .default(10)
    .describe('By when its body must be here, in seconds after it is asked for'),
  AUTH_URLS: urls.describe('Replicas of auth, comma separated'),
  AUTH_MAX_CONNECTIONS: z.coerce
    .number()
    .int()
    .min(1)
    .default(64)
    .describe('Requests that may be under way at once at each replica of auth'),
  AUTH_MAX_REQUESTS_PER_ADDRESS: z.coerce
    .number()
    .int()
    .min(1)
    .default(32)
    .describe(
      'How many of all these may be of one IPv4 address or IPv6 /64; more of them wait, for half a second at most',
    ),
  AUTH_TIMEOUT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60)
    .default(10)
    .describe('By when auth must have answered in full, in seconds'),
  BUS_MAX_REQUESTS: z.coerce
    .number()
    .int()
    .min(1)
    .default(256)
    .describe(
      'Requests for callers that may be under way at all services together, over the bus; more are answered 503 ' +
        'at once',
    ),
  BUS_MAX_REQUESTS_PER_SERVICE: z.coerce
    .number()
    .int()
    .min(1)
    .default(128)
    .describe('How many of these may be at one service, so that one that hangs does not have all'),
  MAX_BACKLOG_MS: z.coerce
    .number()
    .int()
    .min(10)
    .max(60_000)
    .default(100)
    .describe(
      'How long what has arrived may have waited for the event loop, in ms. What waited longer is answered 503 ' +
        'at once, as long as 64 requests or more are under way',
    ),
  PAGE_TOKEN_KEY: keyFromEnv.describe('Secret: seals page tokens; the same for every replica'),
  RATE_LIMITS: rateLimitsSchema.describe(
    'Requests a minute by class of limit where the defaults do not fit, such as `claim=1200,read=60000`; `all=…` ' +
      'for every class that is not named. Per address or app, in each replica: docs/runbook.md',
  ),
  TRUSTED_PROXIES: z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((network) => network.trim())
        .filter(Boolean),
    )
    .pipe(z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])))
    .default([])
    .describe(
      'Addresses and networks whose X-Forwarded-For is believed, comma separated: proxies in front of the house. ' +
        "Nobody's, when left out",
    ),
});
export type GatewayConfig = z.output<typeof configSchema>;
