import { databaseRole, services, type ServiceName } from '@holdfast/contracts';
import type { Instance } from './instances.ts';
import type { Secrets } from './secrets.ts';

/** The addresses of a stack's servers and of the stack itself. */
export interface Addresses {
  baseUrl: string;
  natsUrl: string;
  /** Connects as the owner of the database. */
  databaseUrl: string;
  /** Folder in which audit keeps its checkpoints, outside the database. */
  checkpointDir: string;
  /** Origins of the example shop, which receives back-channel logout requests on this machine. */
  shopOrigins: string[];
}

/** Services that call or register addresses chosen by organizations. */
const callsOut: ServiceName[] = ['auth', 'directory'];
const encrypts: ServiceName[] = ['auth', 'issuance', 'directory', 'audit'];
const reEncrypts: ServiceName[] = ['directory', 'audit'];
const hashesSecrets: ServiceName[] = ['auth', 'directory', 'issuance'];

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
  return {
    LOG_LEVEL: 'info',
    ...inherited(caller, declared),
    NODE_ENV: 'production',
    BASE_URL: addresses.baseUrl,
    NATS_URL: addresses.natsUrl,
    NATS_NKEY_SEED: secrets.nkeySeeds[service],
    OPS_PORT: String(instance.opsPort),
    HOLDFAST_REPLICA: String(instance.replica),
    ...(instance.httpPort ? { HTTP_PORT: String(instance.httpPort) } : {}),
    ...(services[service].database ? { DATABASE_URL: urlOfRole(addresses.databaseUrl, service, secrets) } : {}),
    ...(encrypts.includes(service) ? { KEY_ENCRYPTION_KEY: secrets.keyEncryptionKey } : {}),
    ...(callsOut.includes(service)
      ? {
          OUTBOUND_ALLOW: [...addresses.shopOrigins, ...(caller.OUTBOUND_ALLOW ? [caller.OUTBOUND_ALLOW] : [])].join(
            ',',
          ),
        }
      : {}),
    ...(hashesSecrets.includes(service) ? { SECRET_PEPPER: secrets.pepper } : {}),
    ...(service === 'issuance' ? presenceKeys(secrets) : {}),
    ...(service === 'auth' ? cookieKeys(secrets) : {}),
    ...(reEncrypts.includes(service) ? previousKeyEncryptionKey(secrets) : {}),
    ...(service === 'audit'
      ? { AUDIT_SIGNING_KEYS: secrets.auditSigningKey, CHECKPOINT_DIR: addresses.checkpointDir }
      : {}),
    ...(service === 'gateway' ? { AUTH_URLS: urls('auth'), PAGE_TOKEN_KEY: secrets.pageTokenKey } : {}),
  };
}

const programVariables = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'NODE_EXTRA_CA_CERTS'];

/** The caller's variables that any program needs, and the settings that services declare. */
export function inherited(caller: NodeJS.ProcessEnv, declared: ReadonlySet<string>): NodeJS.ProcessEnv {
  const passed = Object.entries(caller).filter(([name]) => programVariables.includes(name) || declared.has(name));
  return Object.fromEntries(passed);
}

/** The settings that services declare, and nothing else. */
export function serviceSettings(caller: NodeJS.ProcessEnv, declared: ReadonlySet<string>): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(caller).filter(([name]) => declared.has(name)));
}

function presenceKeys({ presenceKey, presenceKeyPrevious }: Secrets): NodeJS.ProcessEnv {
  return {
    PRESENCE_KEY: presenceKey,
    ...(presenceKeyPrevious !== undefined && { PRESENCE_KEY_PREVIOUS: presenceKeyPrevious }),
  };
}

function cookieKeys({ cookieKey, cookieKeyPrevious }: Secrets): NodeJS.ProcessEnv {
  return { COOKIE_KEY: cookieKey, ...(cookieKeyPrevious !== undefined && { COOKIE_KEY_PREVIOUS: cookieKeyPrevious }) };
}

function previousKeyEncryptionKey({ keyEncryptionKeyPrevious: key }: Secrets): NodeJS.ProcessEnv {
  return key === undefined ? {} : { KEY_ENCRYPTION_KEY_PREVIOUS: key };
}

function urlOfRole(ownerUrl: string, service: ServiceName, secrets: Secrets): string {
  const url = new URL(ownerUrl);
  url.username = databaseRole(service);
  url.password = secrets.databasePasswords[service] ?? '';
  return url.href;
}
