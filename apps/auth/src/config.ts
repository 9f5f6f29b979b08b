import { z } from 'zod';
import {
  baseConfigSchema,
  databaseConfigSchema,
  httpLogConfigSchema,
  keyFromEnv,
  outboundConfigSchema,
} from '@holdfast/platform';
import { stateLimitsSchema } from './state-limits.js';

export const configSchema = baseConfigSchema.extend({
  ...databaseConfigSchema.shape,
  ...httpLogConfigSchema.shape,
  ...outboundConfigSchema.shape,
  HTTP_PORT: z.coerce.number().int().describe('Port of the token endpoint, for the gateway alone'),
  HTTP_HOST: z.string().default('127.0.0.1').describe('Address that port listens on'),
  SECRET_PEPPER: keyFromEnv.describe("Secret: client secrets are hashed under it; the same as directory's"),
  KEY_ENCRYPTION_KEY: keyFromEnv.describe('Secret: seals private signing keys in the database'),
  COOKIE_KEY: keyFromEnv.describe(
    'Secret: cookies of sign-ins and sessions are signed under keys that are derived from it, one for each organization',
  ),
  COOKIE_KEY_PREVIOUS: keyFromEnv
    .optional()
    .describe('Secret: another COOKIE_KEY whose signatures count, before, during and after a rotation'),
  CLIENT_RATE_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(1)
    .default(60_000)
    .describe('Requests to token endpoints by one client that proves to be itself, a minute, in each replica'),
  WRONG_SECRETS_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(1)
    .default(60)
    .describe(
      'Wrong client secrets from one address (IPv6: /64) and for one client, a minute, in each replica; the right one passes all the same',
    ),
  HTTP_ADMISSION_RUNNING: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(48)
    .describe('Requests by HTTP that are answered at once'),
  HTTP_ADMISSION_QUEUED: z.coerce
    .number()
    .int()
    .min(0)
    .max(100_000)
    .default(256)
    .describe('Requests by HTTP that wait for that; more are answered 503 at once'),
  HTTP_ADMISSION_WAIT_MS: z.coerce.number().int().min(1).max(60_000).default(250).describe('Longest such wait in ms'),
  STATE_LIMITS: stateLimitsSchema.describe(
    'Rows that the issuers of one organization may have stored at once, by kind, where the defaults do not fit, such as `Session=500000,Grant=5000000`; what comes beyond is answered 503',
  ),
  REFRESH_GRACE_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(60)
    .default(10)
    .describe('How long a refresh token that was used gives the same successor once more, in seconds; 0: never'),
  BACKCHANNEL_LOGOUT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .default(86_400)
    .describe('How long an app that cannot be told of an ended session is tried again, in seconds'),
});
export type Config = z.output<typeof configSchema>;
