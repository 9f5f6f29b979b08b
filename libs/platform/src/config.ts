import { z } from 'zod';

/** 32 bytes in base64url: a key in the environment. */
export const keyFromEnv = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url (43 characters)')
  .transform((text) => Buffer.from(text, 'base64url'));

/** What every service is told. */
export const baseConfigSchema = z.object({
  NATS_URL: z.string().min(1).describe('Servers of the bus, comma separated'),
  NATS_NKEY_SEED: z.string().min(1).describe('Secret: seed of the NKey by which NATS knows this service'),
  BASE_URL: z
    .url()
    .transform((url) => url.replace(/\/+$/, ''))
    .describe('Public address of the deployment: links, issuers and tokens begin with it'),
  OPS_PORT: z.coerce
    .number()
    .int()
    .default(0)
    .describe('Port of `/healthz`, `/readyz` and `/metrics`; 0 takes a free one'),
  OPS_HOST: z.string().default('127.0.0.1').describe('Address that port listens on'),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'fatal'])
    .default('info')
    .describe('Least level of the lines on standard output'),
  ADMISSION_RUNNING: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe('Requests of the bus that are worked on at once, 256 when left out'),
  ADMISSION_QUEUED: z.coerce
    .number()
    .int()
    .min(0)
    .max(100_000)
    .optional()
    .describe('Requests of the bus that wait for that, 256 when left out; more are answered 503 at once'),
  ADMISSION_WAIT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60_000)
    .optional()
    .describe('Longest such wait in ms, 250 when left out'),
  CLOCK_MAX_OFFSET_MS: z.coerce
    .number()
    .int()
    .min(500)
    .max(60_000)
    .optional()
    .describe(
      "How far this machine's clock may be from PostgreSQL's and from the other services', in ms, 5000 when left out; beyond it nothing expires, and who is alone with its time is not ready",
    ),
  HOLDFAST_REPLICA: z.string().default('1').describe('Which replica this is; stands in each log line'),
  HOLDFAST_TEST_CLOCK: z
    .string()
    .regex(/^[+-]\d{1,10}$/, 'must be seconds with a sign, such as +86400 or -3600')
    .transform(Number)
    .optional()
    .describe(
      'For tests only: by how many seconds the clock of the service is wrong, such as `+86400`; the same for all services',
    ),
  HOLDFAST_EXIT_WITH_PARENT: z
    .stringbool()
    .default(false)
    .describe('Stop when standard input ends, so that nothing outlives whoever started it'),
});
export type BaseConfig = z.output<typeof baseConfigSchema>;

const share = z.coerce.number().min(0).max(1);
const perSecond = z.coerce.number().min(0).max(100_000);

/** What a service that speaks HTTP says of its requests. */
export const httpLogConfigSchema = z.object({
  ACCESS_LOG_SUCCESSES: share
    .default(0.01)
    .describe('Share of the successful requests that get an access line, 0 to 1'),
  ACCESS_LOG_CLIENT_ERRORS: perSecond
    .default(20)
    .describe('Access lines of 4xx responses a second, at most; the rest is summed up'),
  ACCESS_LOG_SERVER_ERRORS: perSecond
    .default(200)
    .describe('Access lines of 5xx responses a second, at most; the rest is summed up'),
  METRICS_ORGANIZATIONS: z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((shortId) => shortId.trim())
        .filter(Boolean),
    )
    .pipe(z.array(z.string()).max(50))
    .default([])
    .describe(
      'Short ids of organizations with a label of their own in metrics, comma separated, 50 at most; all others share one',
    ),
});
export type HttpLogConfig = z.output<typeof httpLogConfigSchema>;

export const databaseConfigSchema = z.object({
  DATABASE_URL: z.string().min(1).describe("Secret: PostgreSQL, as this service's own role"),
  DATABASE_PASSWORD_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File with the password for `DATABASE_URL`, read for each new connection: a rotated password is taken without a restart',
    ),
  DATABASE_POOL: z.coerce.number().int().min(1).default(12).describe('Connections of one process, at most'),
});

/**
 * Reads the environment by a schema. Throws one error that names every variable at fault and what it should be; values
 * are never repeated, since some are secrets.
 */
export function loadConfig<Schema extends z.ZodType>(
  schema: Schema,
  env: NodeJS.ProcessEnv = process.env,
): z.output<Schema> {
  const result = schema.safeParse(env);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`The environment is not complete:\n${faults.join('\n')}`);
}
