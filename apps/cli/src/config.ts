import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { databaseServices, type ServiceName } from '@holdfast/contracts';
import {
  baseConfigSchema,
  databaseConfigSchema,
  databaseTlsFiles,
  loadConfig,
  type DatabaseTlsFiles,
} from '@holdfast/platform';
import { defaultConnectionLimit, type Secrets } from '@holdfast/platform-policy';
import { CommandError } from './command-error.js';

const busSchema = baseConfigSchema.pick({ NATS_URL: true, NATS_CA_FILE: true, NATS_NKEY_SEED: true, SHARDS: true });
const ownerSchema = databaseConfigSchema.omit({ DATABASE_PASSWORD_FILE: true, DATABASE_POOL: true });
const demoSchema = z.object({
  BASE_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  SHOP_SITE: z
    .url()
    .transform((url) => url.replace(/\/+$/, ''))
    .default('http://localhost'),
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
    'NATS_URL or NATS_NKEY_SEED is not set, NATS_CA_FILE is not a file that can be read, or SHARDS is not of the ' +
      'form <name>=<url>;<name>=<url>. Set them, or use "npm run holdfast -- …" with a local stack.',
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

/** How to connect to a database as its owner, and the services whose tables it has. */
export interface OwnerConnection extends DatabaseTlsFiles {
  url: string;
  services: readonly ServiceName[];
}

const urlOf = (service: ServiceName) => `DATABASE_URL_${service.toUpperCase()}` as const;
const ownersSchema = ownerSchema
  .partial()
  .extend(Object.fromEntries(databaseServices.map((s) => [urlOf(s), z.string().min(1).optional()])));
const howToSetOwners =
  'Set DATABASE_URL to the address of the database, with its owner as the user, or DATABASE_URL_<SERVICE> for each ' +
  'service that has a database of its own. DATABASE_CA_FILE, DATABASE_CERT_FILE and DATABASE_KEY_FILE, if set, must ' +
  'be files that can be read, the last two together.';

/** Each database once, with its services; those without an address are in `missing`. */
function owners(): { databases: OwnerConnection[]; missing: ServiceName[] } {
  const { env, tls } = orFail(() => {
    const all = loadConfig(ownersSchema) as Record<string, string | undefined>;
    return { env: all, tls: databaseTlsFiles(all) };
  }, howToSetOwners);
  const services = Map.groupBy(databaseServices, (service) => env[urlOf(service)] ?? env.DATABASE_URL);
  const missing = services.get(undefined) ?? [];
  services.delete(undefined);
  return {
    databases: [...services].map(([url, of]) => ({ url: url!, ...tls, services: of })),
    missing,
  };
}

/** The databases of all services: one, or one for each address in DATABASE_URL_<SERVICE>. */
export function ownerConnections(): OwnerConnection[] {
  const { databases, missing } = owners();
  if (missing.length > 0) throw new CommandError(`There is no address for ${missing.join(', ')}. ${howToSetOwners}`);
  return databases;
}

export function ownerConnectionOf(service: ServiceName): OwnerConnection {
  const found = owners().databases.find(({ services }) => services.includes(service));
  if (!found) throw new CommandError(`There is no address for ${service}. ${howToSetOwners}`);
  return found;
}

/** Whether the databases of several shards are known. */
export const hasShardDatabases = () =>
  loadConfig(z.object({ SHARD_DATABASE_URLS: z.string().optional() })).SHARD_DATABASE_URLS !== undefined;

/** What `holdfast doctor` and `holdfast support-bundle` may use besides the operator's access to NATS. */
export function doctorConfig(): { databases: OwnerConnection[]; deploySeed: string | undefined } {
  const { NATS_DEPLOY_NKEY_SEED: deploySeed } = orFail(
    () => loadConfig(z.object({ NATS_DEPLOY_NKEY_SEED: z.string().min(1).optional() })),
    'NATS_DEPLOY_NKEY_SEED is empty.',
  );
  return { databases: owners().databases, deploySeed };
}

const addressSchema = z.object({ NATS_URL: z.string().optional(), BASE_URL: z.string().optional() });

/** The addresses that this command line has been given; an error message may name their hosts. */
export function givenAddresses(): string[] {
  const others = Object.values(loadConfig(addressSchema)).filter((url) => url !== undefined);
  return [...others, ...owners().databases.map(({ url }) => url)];
}

const connectionLimitSchema = z.object({
  DB_CONNECTIONS: z
    .string()
    .regex(/^[1-9]\d{0,4}$/)
    .default(String(defaultConnectionLimit)),
});

/**
 * A password per service with a database, and the connection limit of each role.
 *
 * @param stored where the passwords are; by default the environment
 */
export function databaseConfig(stored?: Secrets): { passwords: Record<string, string>; connectionLimit: number } {
  const names = databaseServices.map(passwordOf);
  const passwords = z.object(Object.fromEntries(names.map((name) => [name, z.string().min(1)])));
  const env = orFail(
    (): Record<string, string> => ({ ...loadConfig(connectionLimitSchema), ...loadConfig(passwords, stored) }),
    `Set ${names.join(', ')}. DB_CONNECTIONS must be a whole number from 1 to 99999.`,
  );
  return {
    passwords: Object.fromEntries(databaseServices.map((s) => [s, env[passwordOf(s)]!])),
    connectionLimit: Number(env.DB_CONNECTIONS),
  };
}
