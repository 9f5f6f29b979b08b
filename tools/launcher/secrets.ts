import { randomBytes } from 'node:crypto';
import { createUser } from '@nats-io/nkeys';
import { readJson, writeWhole } from '../infra/files.ts';

/** The secrets of a stack, generated at its first start. */
export interface Secrets {
  /** Password of PostgreSQL's superuser. */
  postgresPassword: string;
  /** Per service. */
  databasePasswords: Record<string, string>;
  /** NKey seed per user of the bus. */
  nkeySeeds: Record<string, string>;
  keyEncryptionKey: string;
  /** The other key during a rotation, inserted by hand: audit and directory decrypt with it as well. */
  keyEncryptionKeyPrevious?: string;
  pepper: string;
  pageTokenKey: string;
  presenceKey: string;
  /** The key before a rotation, moved here by hand and removed when everything that it signed has expired. */
  presenceKeyPrevious?: string;
  /** Signs the cookies of sign-ins and sessions. */
  cookieKey: string;
  /** The other key during a rotation, inserted by hand: its signatures are valid as well. */
  cookieKeyPrevious?: string;
  /** Seed of the keys that sign checkpoints of the audit logs. */
  auditSigningKey: string;
}

/** Generates missing secrets, such as those of a new service in an old stack, and changes no existing ones. */
export function loadSecrets(file: string, services: readonly string[], busUsers: readonly string[]): Secrets {
  const existing = readJson<Partial<Secrets>>(file) ?? {};
  const key = (): string => randomBytes(32).toString('base64url');
  const secrets: Secrets = {
    postgresPassword: existing.postgresPassword ?? key(),
    databasePasswords: each(services, existing.databasePasswords, key),
    nkeySeeds: each(busUsers, existing.nkeySeeds, () => Buffer.from(createUser().getSeed()).toString()),
    keyEncryptionKey: existing.keyEncryptionKey ?? key(),
    ...(existing.keyEncryptionKeyPrevious !== undefined && {
      keyEncryptionKeyPrevious: existing.keyEncryptionKeyPrevious,
    }),
    pepper: existing.pepper ?? key(),
    pageTokenKey: existing.pageTokenKey ?? key(),
    presenceKey: existing.presenceKey ?? key(),
    ...(existing.presenceKeyPrevious !== undefined && { presenceKeyPrevious: existing.presenceKeyPrevious }),
    cookieKey: existing.cookieKey ?? key(),
    ...(existing.cookieKeyPrevious !== undefined && { cookieKeyPrevious: existing.cookieKeyPrevious }),
    auditSigningKey: existing.auditSigningKey ?? key(),
  };
  writeWhole(file, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

function each(
  names: readonly string[],
  existing: Record<string, string> | undefined,
  generate: () => string,
): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, existing?.[name] ?? generate()]));
}
