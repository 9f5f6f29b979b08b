import { databaseServices } from '@holdfast/contracts';
import { databasePasswordName, missingSecrets, nkeySeedName, type Secrets } from '@holdfast/platform-policy';
import { readJson, writeWhole } from '../infra/files.ts';

/** Generates missing secrets, such as those of a new service in an old stack, and changes no existing ones. */
export function loadSecrets(file: string): Secrets {
  const existing = byName(readJson<Record<string, unknown>>(file) ?? {});
  const secrets = { ...existing, ...missingSecrets(existing) };
  writeWhole(file, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

/** The password of each service's database role. */
export function databasePasswords(secrets: Secrets): Record<string, string> {
  return Object.fromEntries(databaseServices.map((service) => [service, secrets[databasePasswordName(service)] ?? '']));
}

const encryptingServices = ['AUTH', 'ISSUANCE', 'AUDIT', 'DIRECTORY'];

/** The names that each member had in the secrets.json of an earlier version. */
const earlierMembers: Record<string, string[]> = {
  postgresPassword: ['POSTGRES_PASSWORD'],
  keyEncryptionKey: encryptingServices.map((service) => `KEY_ENCRYPTION_KEY_${service}`),
  keyEncryptionKeyPrevious: encryptingServices.map((service) => `KEY_ENCRYPTION_KEY_${service}_PREVIOUS`),
  pepper: ['SECRET_PEPPER'],
  pageTokenKey: ['PAGE_TOKEN_KEY'],
  presenceKey: ['PRESENCE_KEY'],
  presenceKeyPrevious: ['PRESENCE_KEY_PREVIOUS'],
  cookieKey: ['COOKIE_KEY'],
  cookieKeyPrevious: ['COOKIE_KEY_PREVIOUS'],
  auditSigningKey: ['AUDIT_SIGNING_KEYS'],
};
const earlierFamilies: Record<string, (of: string) => string> = {
  databasePasswords: databasePasswordName,
  nkeySeeds: nkeySeedName,
};

/** A stack of an earlier version keeps its secrets under the names of the table. */
function byName(stored: Record<string, unknown>): Secrets {
  const entries = Object.entries(stored).flatMap(([member, value]): [string, string][] => {
    const nameOf = earlierFamilies[member];
    if (nameOf) return Object.entries(value as Record<string, string>).map(([of, secret]) => [nameOf(of), secret]);
    return (earlierMembers[member] ?? [member]).map((name) => [name, value as string]);
  });
  return Object.fromEntries(entries);
}
