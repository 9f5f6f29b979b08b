import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { mainShard, shardName } from '@holdfast/contracts';
import { tracingSettings, type TracingConfig } from '../tracing/config.js';
import { namedValues } from './named-values.js';

/** 32 bytes in base64url: a key in the environment. */
export const keyFromEnv = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url (43 characters)')
  .transform((text) => Buffer.from(text, 'base64url'));

/** Name of a file that exists and can be read when the service starts. */
export const readableFile = z
  .string()
  .min(1)
  .refine((path) => isReadable(path), 'must be a file that this process can read');
const optionalFile = readableFile.optional();

function isReadable(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}

const shardUrls = namedValues(shardName, z.string().min(1)).refine(
  (urls) => !Object.hasOwn(urls, mainShard),
  `must not name ${mainShard}: it has NATS_URL`,
);

/** Settings of every service. */
export const baseConfigSchema = z.object({
  NATS_URL: z.string().min(1).describe('NATS servers, comma separated'),
  NATS_CA_FILE: optionalFile.describe(
    'File with the certificates (PEM) that a nats-server must prove itself by; connections use TLS then, and no ' +
      'other server is accepted. Read for each new connection',
  ),
  NATS_NKEY_SEED: z.string().min(1).describe('Secret: seed of the NKey by which NATS authenticates this service'),
  SHARDS: shardUrls
    .optional()
    .describe(
      'NATS servers of each shard besides `main`, as `<name>=<url>` with `;` between the shards, such as ' +
        '`eu2=nats://nats-eu2:4222`. For gateway, auth, directory and the command line: docs/shards.md',
    ),
  SHARD: shardName
    .optional()
    .describe(
      'Name of the shard that this replica of issuance, subjects, audit or signals belongs to; it refuses requests ' +
        'and events of organizations of other shards. Left out: the deployment has one shard',
    ),
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
    .describe('Minimum level of log lines on standard output'),
  ADMISSION_RUNNING: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe('Requests from NATS that are handled concurrently, 256 when left out'),
  ADMISSION_QUEUED: z.coerce
    .number()
    .int()
    .min(0)
    .max(100_000)
    .optional()
    .describe('Requests from NATS that wait to be handled, 256 when left out; further ones get 503 at once'),
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
      "By how much this machine's clock may differ from PostgreSQL's and from the other services', in ms, 5000 when " +
        'left out; beyond it nothing expires, and a service whose clock all others contradict is not ready',
    ),
  HOLDFAST_REPLICA: z.string().default('1').describe('Number of this replica; appears in each log line'),
  HOLDFAST_TEST_CLOCK: z
    .string()
    .regex(/^[+-]\d{1,10}$/, 'must be seconds with a sign, such as +86400 or -3600')
    .transform(Number)
    .optional()
    .describe(
      'For tests only: by how many seconds the clock of the service is shifted, such as `+86400`; the same for all ' +
        'services',
    ),
  SUCCESSOR_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(300)
    .optional()
    .describe(
      'For how many seconds a replica that has to stop goes on until another one is ready; it stops at once when ' +
        'left out. For an orchestrator that starts the successor of a single replica only when that one ends',
    ),
  HOLDFAST_EXIT_WITH_PARENT: z
    .stringbool()
    .default(false)
    .describe('Stop when standard input ends, so that the service does not outlive the process that started it'),
  ...tracingSettings,
});
/** Traces are configured by main(); a service that a test starts has none of these settings. */
export type BaseConfig = Omit<z.output<typeof baseConfigSchema>, keyof TracingConfig> & Partial<TracingConfig>;

const share = z.coerce.number().min(0).max(1);
const perSecond = z.coerce.number().min(0).max(100_000);

/** Settings of access lines and metrics of a service that serves HTTP. */
export const httpLogConfigSchema = z.object({
  ACCESS_LOG_SUCCESSES: share
    .default(0.01)
    .describe('Share of the successful requests that get an access line, 0 to 1'),
  ACCESS_LOG_CLIENT_ERRORS: perSecond
    .default(20)
    .describe('Access lines of 4xx responses per second, at most; the rest is summarized'),
  ACCESS_LOG_SERVER_ERRORS: perSecond
    .default(200)
    .describe('Access lines of 5xx responses per second, at most; the rest is summarized'),
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
      'Short IDs of organizations with a label of their own in metrics, comma separated, 50 at most; all others ' +
        'share one',
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
      'File with the password for `DATABASE_URL`, read for each new connection, so that a rotated password needs no ' +
        'restart',
    ),
  DATABASE_CA_FILE: optionalFile.describe(
    'File with the certificates (PEM) that PostgreSQL must prove itself by, for its name in `DATABASE_URL`; ' +
      'connections use TLS then. Read for each new connection',
  ),
  DATABASE_CERT_FILE: optionalFile.describe(
    'File with the certificate (PEM) by which this process proves itself to PostgreSQL, beside the password; ' +
      'connections use TLS then, and without `DATABASE_CA_FILE` a public authority must have signed the certificate ' +
      'of PostgreSQL. Read for each new connection',
  ),
  DATABASE_KEY_FILE: optionalFile.describe('File with the private key (PEM) of `DATABASE_CERT_FILE`'),
  DATABASE_POOL: z.coerce.number().int().min(1).default(12).describe('Connections of one process, at most'),
});

export type DatabaseConfig = z.output<typeof databaseConfigSchema>;

/** Settings of a service that can read from a replica of its database. */
export const readReplicaConfigSchema = z.object({
  DATABASE_READ_URL: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Secret: a streaming replica of the service's database, for reads, as its own role; " +
        '`DATABASE_POOL` and the files of `DATABASE_URL` are for both. Reads are as fresh as on the primary, which ' +
        'serves them while the replica lags or does not respond',
    ),
});

/**
 * Reads the environment by a schema. Throws one error that names every invalid variable and what it should be. It does
 * not contain values, since some are secrets.
 */
export function loadConfig<Schema extends z.ZodType>(
  schema: Schema,
  env: NodeJS.ProcessEnv = process.env,
): z.output<Schema> {
  const result = schema.safeParse(env);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`The environment is not complete:\n${problems.join('\n')}`);
}
