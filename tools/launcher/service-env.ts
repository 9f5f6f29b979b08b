import { databaseRole, mainShard, nodeOptions, services, type ServiceName } from '@holdfast/contracts';
import { databasePasswordName, secretVariables, watermarkWriters, type Secrets } from '@holdfast/platform-policy';
import type { Instance } from './instances.ts';
import { reachingEnv, type PublicAddress } from './public-address.ts';

/** What services of one shard connect to, and where their audit keeps its checkpoints. */
export type ShardAddresses = Pick<Addresses, 'natsUrl' | 'databaseUrl' | 'databaseUrls' | 'checkpointDir'>;

/** The addresses of a stack's servers and of the stack itself. */
export interface Addresses {
  public: PublicAddress;
  natsUrl: string;
  /** Connects as the owner of the database. */
  databaseUrl: string;
  /** The same for each service that has a database of its own (`--own-databases`). */
  databaseUrls?: Partial<Record<ServiceName, string>>;
  /** Folder in which audit keeps its checkpoints, outside the database. */
  checkpointDir: string;
  /** What services of each further shard connect to; absent when there is `main` only. */
  shards?: Readonly<Record<string, ShardAddresses>>;
  /** Origins of the example shop, which receives back-channel logout requests on this machine. */
  shopOrigins: string[];
}

/** Services that call or register addresses chosen by organizations. */
const callsOut: ServiceName[] = ['auth', 'directory', 'signals'];

/** The environment of one process. It has only the secrets that the service needs, so that a leak exposes no others. */
export function serviceEnv(
  instance: Instance,
  all: Instance[],
  addresses: Addresses,
  secrets: Secrets,
  caller: NodeJS.ProcessEnv,
  declared: ReadonlySet<string>,
): NodeJS.ProcessEnv {
  const { service } = instance;
  const urls = (name: ServiceName): string =>
    all
      .filter((i) => i.service === name)
      .map((i) => `http://${i.host}:${i.httpPort}`)
      .join(',');
  const reaching = reachingEnv(addresses.public, caller);
  return {
    LOG_LEVEL: 'info',
    // No proxy uses this gateway, so nobody waits for it when the stack stops.
    ...(service === 'gateway' ? { HTTP_DRAIN_SECONDS: '0' } : {}),
    ...inherited(caller, declared),
    NODE_ENV: 'production',
    // Of two values of one option Node.js takes the last: the caller's.
    ...reaching,
    NODE_OPTIONS: [nodeOptions, reaching.NODE_OPTIONS, caller.NODE_OPTIONS].filter(Boolean).join(' '),
    BASE_URL: addresses.public.baseUrl,
    NATS_URL: addresses.natsUrl,
    ...shardEnv(instance, addresses.shards),
    ...secretEnv(service, secrets),
    OPS_PORT: String(instance.opsPort),
    HOLDFAST_REPLICA: String(instance.replica),
    ...(instance.httpPort ? { HTTP_PORT: String(instance.httpPort) } : {}),
    ...(services[service].database ? databaseEnv(service, addresses, secrets) : {}),
    ...(callsOut.includes(service)
      ? {
          OUTBOUND_ALLOW: [...addresses.shopOrigins, ...(caller.OUTBOUND_ALLOW ? [caller.OUTBOUND_ALLOW] : [])].join(
            ',',
          ),
          // A receiver of a developer listens on any port of this machine.
          OUTBOUND_ALLOW_LOOPBACK: caller.OUTBOUND_ALLOW_LOOPBACK ?? 'true',
        }
      : {}),
    ...(service === 'audit' ? { CHECKPOINT_DIR: addresses.checkpointDir } : {}),
    ...(service === 'gateway' ? { AUTH_URLS: urls('auth'), ...listenerEnv(addresses.public) } : {}),
  };
}

function listenerEnv({ host, tls }: PublicAddress): NodeJS.ProcessEnv {
  return { HTTP_HOST: host, ...(tls && { HTTP_CERT_FILE: tls.certFile, HTTP_KEY_FILE: tls.keyFile }) };
}

const programVariables = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'NODE_EXTRA_CA_CERTS'];

/** The caller's variables that any program needs, and the settings that services declare. */
export function inherited(caller: NodeJS.ProcessEnv, declared: ReadonlySet<string>): NodeJS.ProcessEnv {
  const passed = Object.entries(caller).filter(([name]) => programVariables.includes(name) || declared.has(name));
  return Object.fromEntries(passed);
}

/** The settings that services declare, and the authorities that Node.js trusts besides its own. Nothing else. */
export function serviceSettings(caller: NodeJS.ProcessEnv, declared: ReadonlySet<string>): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(caller).filter(([name]) => name === 'NODE_EXTRA_CA_CERTS' || declared.has(name)),
  );
}

/** A service of a shard knows its own shard, and one that exists once for all shards knows where they are. */
function shardEnv({ service, shard = mainShard }: Instance, shards: Addresses['shards']): NodeJS.ProcessEnv {
  if (!shards) return {};
  return services[service].sharded ? { SHARD: shard } : { SHARDS: shardsSetting(shards) };
}

function shardsSetting(shards: Readonly<Record<string, ShardAddresses>>): string {
  return Object.entries(shards)
    .map(([name, { natsUrl }]) => `${name}=${natsUrl}`)
    .join(';');
}

function secretEnv(service: ServiceName, secrets: Secrets): NodeJS.ProcessEnv {
  const variables = secretVariables(service).filter(({ name }) => secrets[name] !== undefined);
  return Object.fromEntries(variables.map(({ variable, name }) => [variable, secrets[name]]));
}

/** The database of the service, and that of the read model whose watermarks it raises if this is another one. */
function databaseEnv(service: ServiceName, addresses: Addresses, secrets: Secrets): NodeJS.ProcessEnv {
  const ownerUrl = (name: ServiceName): string => addresses.databaseUrls?.[name] ?? addresses.databaseUrl;
  const readModel = watermarkWriters().find(({ writers }) => writers.includes(service))?.readModel;
  return {
    DATABASE_URL: urlOfRole(ownerUrl(service), service, secrets),
    ...(readModel && ownerUrl(readModel) !== ownerUrl(service)
      ? { WATERMARK_DATABASE_URL: urlOfRole(ownerUrl(readModel), service, secrets) }
      : {}),
  };
}

function urlOfRole(ownerUrl: string, service: ServiceName, secrets: Secrets): string {
  const url = new URL(ownerUrl);
  url.username = databaseRole(service);
  url.password = secrets[databasePasswordName(service)] ?? '';
  return url.href;
}
