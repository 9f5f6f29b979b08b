import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { databaseServices, type ServiceName } from '@holdfast/contracts';
import { baseConfigSchema, databaseConfigSchema, loadConfig } from '@holdfast/platform';
import { defaultConnectionLimit } from '@holdfast/platform-policy';
import { CommandError } from './command-error.js';

const busSchema = baseConfigSchema.pick({ NATS_URL: true, NATS_CA_FILE: true, NATS_NKEY_SEED: true });
const ownerSchema = databaseConfigSchema.pick({ DATABASE_URL: true, DATABASE_CA_FILE: true });
const demoSchema = z.object({
  BASE_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  SHOP_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  KIOSK_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
});

/** What Kubernetes sets in every pod. */
export const clusterConfig = () =>
  loadConfig(
    z.object({ KUBERNETES_SERVICE_HOST: z.string().optional(), KUBERNETES_SERVICE_PORT: z.string().optional() }),
  );

const secretSchema = z.object({ HOLDFAST_CLIENT_SECRET: z.string().min(1).optional() });

/** The client secret of an app. It is never an argument, since every user of the machine can read those. */
export async function clientSecret(): Promise<string> {
  const secret =
    loadConfig(secretSchema).HOLDFAST_CLIENT_SECRET ?? (process.stdin.isTTY ? '' : (await text(process.stdin)).trim());
  if (secret === '')
    throw new CommandError('There is no client secret. Set HOLDFAST_CLIENT_SECRET, or pipe it to standard input.');
  return secret;
}

export const busConfig = () =>
  orFail(
    () => loadConfig(busSchema),
    'NATS_URL or NATS_NKEY_SEED is not set, or NATS_CA_FILE is not a file that can be read. Set them, or use ' +
      '"npm run holdfast -- …" with a local stack.',
  );
export const demoConfig = () =>
  orFail(
    () => loadConfig(demoSchema),
    'Set BASE_URL to the public address of Holdfast, such as http://localhost:8080.',
  );

function orFail<T>(read: () => T, message: string): T {
  try {
    return read();
  } catch {
    throw new CommandError(message);
  }
}

const passwordOf = (service: ServiceName) => `DB_PASSWORD_${service.toUpperCase()}` as const;

/** How to connect to the database as its owner. */
export interface OwnerConnection {
  url: string;
  caFile: string | undefined;
}

export function ownerConnection(): OwnerConnection {
  const { DATABASE_URL: url, DATABASE_CA_FILE: caFile } = orFail(
    () => loadConfig(ownerSchema),
    'Set DATABASE_URL to the address of the database, with its owner as the user. DATABASE_CA_FILE, if set, must be ' +
      'a file that can be read.',
  );
  return { url, caFile };
}

/** What `holdfast doctor` may use besides the operator's access to NATS. */
export function doctorConfig(): { owner: OwnerConnection | undefined; deploySeed: string | undefined } {
  const {
    DATABASE_URL: url,
    DATABASE_CA_FILE: caFile,
    NATS_DEPLOY_NKEY_SEED: deploySeed,
  } = orFail(
    () => loadConfig(ownerSchema.partial().extend({ NATS_DEPLOY_NKEY_SEED: z.string().min(1).optional() })),
    'DATABASE_CA_FILE is not a file that can be read, or DATABASE_URL or NATS_DEPLOY_NKEY_SEED is empty.',
  );
  return { owner: url === undefined ? undefined : { url, caFile }, deploySeed };
}

/** A password per service with a database, and the connection limit of each role. */
export function databaseConfig(): { passwords: Record<string, string>; connectionLimit: number } {
  const names = databaseServices.map(passwordOf);
  const schema = z.object({
    DB_CONNECTIONS: z
      .string()
      .regex(/^[1-9]\d{0,4}$/)
      .default(String(defaultConnectionLimit)),
    ...Object.fromEntries(names.map((name) => [name, z.string().min(1)])),
  });
  const env = orFail(
    () => loadConfig(schema) as Record<string, string>,
    `Set ${names.join(', ')}. DB_CONNECTIONS must be a whole number from 1 to 99999.`,
  );
  return {
    passwords: Object.fromEntries(databaseServices.map((s) => [s, env[passwordOf(s)]!])),
    connectionLimit: Number(env.DB_CONNECTIONS),
  };
}
