import { randomBytes } from 'node:crypto';
import { createUser, fromSeed } from '@nats-io/nkeys';
import {
  databaseServices,
  natsUsers,
  readerIdSchema,
  readerKeySchema,
  services,
  type BusUser,
  type ServiceName,
} from '@holdfast/contracts';

/**
 * - `key`: 32 random bytes in base64url
 * - `keys`: such keys, comma separated, the current one first
 * - `password`: 32 random bytes in base64url, so that it needs no escaping in a URL
 * - `nkey`: seed of an NKey
 */
type SecretKind = 'key' | 'keys' | 'password' | 'nkey';

/** A secret that a deployment holds. */
export interface SecretEntry {
  /** Its key in a Kubernetes Secret, its file in a folder, its member in secrets.json. */
  name: string;
  kind: SecretKind;
  /** The services that have it. Jobs and the command line have the others. */
  services: readonly ServiceName[];
  /** The environment variable of these services; a password reaches them in DATABASE_PASSWORD_FILE or DATABASE_URL. */
  variable?: string;
  /**
   * Whether the services also accept another value, `<name>_PREVIOUS` as the variable `<variable>_PREVIOUS`, so that it
   * is rotated without interruption: the new value is accepted by all replicas, then it becomes the current one, then
   * the old one is removed.
   */
  hasPrevious: boolean;
  /** Whether each shard has a value of its own: one that leaks is of no use on another shard (docs/shards.md). */
  isOfShard: boolean;
  purpose: string;
  /** What happens when it is lost, in words for an operator. */
  ifLost: string;
}

const single = (entry: Omit<SecretEntry, 'variable' | 'isOfShard'>): SecretEntry => ({
  ...entry,
  variable: entry.name,
  isOfShard: false,
});

const keyEncryptionKeys: Partial<Record<ServiceName, Pick<SecretEntry, 'purpose' | 'ifLost'>>> = {
  auth: {
    purpose: 'encrypts private signing keys in the database',
    ifLost: 'issuers need new signing keys, and all tokens become invalid',
  },
  issuance: {
    purpose: 'encrypts stored responses (Idempotency-Key)',
    ifLost: 'requests that repeat one of the last day are refused',
  },
  audit: {
    purpose: 'encrypts the personal data keys of customers',
    ifLost: 'addresses and user agents in audit logs cannot be read any more',
  },
  directory: {
    purpose: 'encrypts the keys of people, and stored responses (Idempotency-Key)',
    ifLost: 'names and e-mail addresses of people cannot be read any more',
  },
  signals: {
    purpose: 'encrypts credentials of audit destinations, and stored responses (Idempotency-Key)',
    ifLost: 'audit destinations need new credentials; nothing is sent until then, and nothing is lost',
  },
};

/** Each service has a key-encryption key of its own: one that leaks decrypts nothing of another service. */
const keyEncryptionKeyEntries = Object.entries(keyEncryptionKeys).map(([service, texts]): SecretEntry => ({
  name: keyEncryptionKeyName(service as ServiceName),
  kind: 'key',
  services: [service as ServiceName],
  variable: 'KEY_ENCRYPTION_KEY',
  hasPrevious: true,
  isOfShard: false,
  ...texts,
}));

/**
 * Every secret of a deployment: the source for `holdfast secrets create`, the launcher, the containers, the chart and
 * docs/reference/secrets.md.
 */
export const secretTable: readonly SecretEntry[] = [
  single({
    name: 'SECRET_PEPPER',
    kind: 'key',
    services: ['auth', 'issuance', 'directory'],
    hasPrevious: true,
    purpose: 'hashes client secrets, claim tokens, invitation links, and addresses by which people are found',
    ifLost: 'all client secrets, claim links and invitation links become invalid, and people are not found',
  }),
  ...keyEncryptionKeyEntries,
  single({
    name: 'COOKIE_KEY',
    kind: 'key',
    services: ['auth'],
    hasPrevious: true,
    purpose: 'signs the cookies of sign-ins and sessions',
    ifLost: 'every customer and person signs in again',
  }),
  single({
    name: 'PAGE_TOKEN_KEY',
    kind: 'key',
    services: ['gateway'],
    hasPrevious: true,
    purpose: 'encrypts page tokens of lists',
    ifLost: 'earlier page tokens are refused; clients begin their lists again',
  }),
  single({
    name: 'PRESENCE_KEY',
    kind: 'key',
    services: ['issuance'],
    hasPrevious: true,
    purpose: 'signs challenges of the proof of presence',
    ifLost: 'open forms are refused once',
  }),
  single({
    name: 'AUDIT_SIGNING_KEYS',
    kind: 'keys',
    services: ['audit'],
    hasPrevious: false,
    purpose: 'seeds of the keys that sign checkpoints of the audit logs, the current one first',
    ifLost: 'organizations must pin a new key, and no checkpoint proves that the log continues the earlier one',
  }),
  ...databaseServices.map((service): SecretEntry => ({
    name: databasePasswordName(service),
    kind: 'password',
    services: [service],
    hasPrevious: false,
    isOfShard: true,
    purpose: `password of the database role of ${service}`,
    ifLost: 'set a new one with holdfast database setup',
  })),
  {
    name: 'POSTGRES_PASSWORD',
    kind: 'password',
    services: [],
    hasPrevious: false,
    isOfShard: true,
    purpose: 'password of the owner of the database, when Holdfast runs PostgreSQL itself',
    ifLost: 'set a new one as the superuser of PostgreSQL',
  },
  ...natsUsers.map((user): SecretEntry => ({
    name: nkeySeedName(user),
    kind: 'nkey',
    services: isService(user) ? [user] : [],
    ...(isService(user) && { variable: 'NATS_NKEY_SEED' }),
    hasPrevious: false,
    isOfShard: isService(user) && services[user].sharded,
    purpose: `authenticates ${user} to NATS`,
    ifLost: 'create a new one, and nats.conf with its public key',
  })),
];

export function databasePasswordName(service: string): string {
  return `DB_PASSWORD_${service.toUpperCase()}`;
}

export function nkeySeedName(user: string): string {
  return `NATS_NKEY_SEED_${user.toUpperCase()}`;
}

function keyEncryptionKeyName(service: ServiceName): string {
  return `KEY_ENCRYPTION_KEY_${service.toUpperCase()}`;
}

function isService(user: string): user is ServiceName {
  return user !== 'deploy' && user !== 'operator';
}

/** The name of the other value of a secret, during a rotation. */
export function previousName(name: string): string {
  return `${name}_PREVIOUS`;
}

/** Values by name, with `<name>_PREVIOUS` during a rotation. */
export type Secrets = Readonly<Record<string, string>>;

/** The secrets that a further shard has for itself; it uses all others of the deployment. */
export const shardSecretTable = secretTable.filter(({ isOfShard }) => isOfShard);

/** The secrets that do not exist yet, such as those of a new service in an old deployment. */
export function missingSecrets(existing: Secrets, entries = secretTable): Record<string, string> {
  const missing = entries.filter(({ name }) => !existing[name]);
  return Object.fromEntries(missing.map(({ name, kind }) => [name, newSecret(kind)]));
}

export function newSecret(kind: SecretKind): string {
  if (kind === 'nkey') return Buffer.from(createUser().getSeed()).toString();
  return randomBytes(32).toString('base64url');
}

/** The public NKeys of the users in nats.conf: two of a user whose NKey is being rotated. */
export function publicKeys(secrets: Secrets): Record<BusUser, string[]> {
  const pairs = natsUsers.map((user) => {
    const name = nkeySeedName(user);
    const seeds = [secrets[name] ?? '', secrets[previousName(name)]].filter((seed) => seed !== undefined);
    return [user, seeds.map(publicKey)];
  });
  return Object.fromEntries(pairs) as Record<BusUser, string[]>;
}

/** In the store of the secrets, although they are none: from both, nats.conf is made (docs/audit-readers.md). */
const readersName = 'AUDIT_READERS';

/** The readers of the stream of entries: their public NKeys, by their ids. */
export function auditReaders(secrets: Secrets): Record<string, string> {
  const pairs = (secrets[readersName] ?? '').split(' ').filter((pair) => pair !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [id = '', key = ''] = pair.split('=');
      return [readerIdSchema.parse(id), readerKeySchema.parse(key)];
    }),
  );
}

/** What to store with this reader added, or removed when it has no key. */
export function withAuditReader(
  secrets: Secrets,
  id: string,
  key: string | undefined,
): Record<string, string | undefined> {
  const { [id]: _, ...others } = auditReaders(secrets);
  const pairs = Object.entries(key === undefined ? others : { ...others, [id]: key }).map((pair) => pair.join('='));
  return { [readersName]: pairs.length === 0 ? undefined : pairs.join(' ') };
}

function publicKey(seed: string): string {
  return fromSeed(Buffer.from(seed)).getPublicKey();
}

/** A variable of a service and the secret that it has. */
export interface SecretVariable {
  variable: string;
  name: string;
  /** Exists during a rotation only. */
  isOptional: boolean;
  isOfShard: boolean;
}

/** The variables by which a service gets its secrets, and no others. */
export function secretVariables(service: ServiceName): SecretVariable[] {
  return secretTable.flatMap((entry) => {
    const { name, variable, hasPrevious, isOfShard } = entry;
    if (variable === undefined || !entry.services.includes(service)) return [];
    const previous = { variable: previousName(variable), name: previousName(name), isOptional: true, isOfShard };
    return [{ variable, name, isOptional: false, isOfShard }, ...(hasPrevious ? [previous] : [])];
  });
}
