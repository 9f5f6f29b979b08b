import { z } from 'zod';
import {
  baseConfigSchema,
  databaseConfigSchema,
  httpLogConfigSchema,
  keyFromEnv,
  keysOf,
  outboundConfigSchema,
  readableFile,
  type Keys,
} from '@holdfast/platform';
import { stateLimitsSchema } from './state-limits.js';

export const configSchema = baseConfigSchema.extend({
  ...databaseConfigSchema.shape,
  ...httpLogConfigSchema.shape,
  ...outboundConfigSchema.shape,
  HTTP_PORT: z.coerce.number().int().describe('Port for HTTP requests from the gateway'),
  HTTP_HOST: z.string().default('127.0.0.1').describe('Address that port listens on'),
  HTTP_CERT_FILE: readableFile
    .optional()
    .describe('File with the certificate chain (PEM) of this listener; it serves HTTPS then. A renewed one is loaded'),
  HTTP_KEY_FILE: readableFile.optional().describe('File with the private key (PEM) of HTTP_CERT_FILE'),
  HTTP_CLIENT_CA_FILE: readableFile
    .optional()
    .describe('File with the certificates (PEM) that a client must prove itself by: mutual TLS'),
  SECRET_PEPPER: keyFromEnv.describe("Secret: client secrets are hashed under it; the same as directory's"),
  SECRET_PEPPER_PREVIOUS: keyFromEnv
    .optional()
    .describe('Secret: another SECRET_PEPPER whose hashes are accepted, before, during and after a rotation'),
  KEY_ENCRYPTION_KEY: keyFromEnv.describe(
    'Secret: seals private signing keys, sessions, tokens and records in the database',
  ),
  KEY_ENCRYPTION_KEY_PREVIOUS: keyFromEnv
    .optional()
    .describe('Secret: another KEY_ENCRYPTION_KEY that decrypts stored data, before, during and after a rotation'),
  COOKIE_KEY: keyFromEnv.describe(
    'Secret: the keys that sign the cookies of sign-ins and sessions are derived from it, one for each organization',
  ),
  COOKIE_KEY_PREVIOUS: keyFromEnv
    .optional()
    .describe('Secret: another COOKIE_KEY whose signatures are accepted, before, during and after a rotation'),
  CLIENT_RATE_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(1)
    .default(60_000)
    .describe('Requests to token endpoints by one authenticated client, per minute'),
  WRONG_SECRETS_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(1)
    .default(60)
    .describe(
      'Wrong client secrets from one address (IPv6: /64) and for one client, per minute; ' +
        'beyond it, requests with the right secret still succeed',
    ),
  HTTP_ADMISSION_RUNNING: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(48)
    .describe('HTTP requests that are processed concurrently'),
  HTTP_ADMISSION_QUEUED: z.coerce
    .number()
    .int()
    .min(0)
    .max(100_000)
    .default(256)
    .describe('HTTP requests that wait to be processed; the response to more is an immediate 503'),
  HTTP_ADMISSION_WAIT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60_000)
    .default(250)
    .describe('How long an HTTP request waits to be processed before the response is 503, in milliseconds'),
  STATE_LIMITS: stateLimitsSchema.describe(
    'Maximum rows of one organization by kind, where they differ from the defaults, such as ' +
      '`Session=500000,Grant=5000000`; beyond it the response is 503',
  ),
  REFRESH_GRACE_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(60)
    .default(10)
    .describe('How long a refresh token that was used returns the same successor again, in seconds; 0: never'),
  HUB_SESSION_SECONDS: z.coerce
    .number()
    .int()
    .min(60)
    .max(86_400)
    .default(43_200)
    .describe('How long a person stays signed in to the hub after their sign-in, in seconds'),
  HUB_SESSION_IDLE_SECONDS: z.coerce
    .number()
    .int()
    .min(60)
    .max(86_400)
    .default(3600)
    .describe('How long a person stays signed in to the hub without using it, in seconds'),
  BACKCHANNEL_LOGOUT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .default(86_400)
    .describe('How long auth retries to notify an app of a revoked session, in seconds'),
});
export type Config = z.output<typeof configSchema>;

/** What hashes client secrets. */
export function peppersOf(config: Pick<Config, 'SECRET_PEPPER' | 'SECRET_PEPPER_PREVIOUS'>): Keys {
  return keysOf(config.SECRET_PEPPER, config.SECRET_PEPPER_PREVIOUS);
}
