import { randomBytes } from 'node:crypto';
import { createUser } from '@nats-io/nkeys';
import { readJson, writeWhole } from '../infra/files.ts';

/** What a stack needs to know and nobody else may; made at its first start. */
export interface Secrets {
  /** Of PostgreSQL's superuser. */
  postgresPassword: string;
  /** Per service. */
  databasePasswords: Record<string, string>;
  /** NKey seed per user of the bus. */
  nkeySeeds: Record<string, string>;
  keyEncryptionKey: string;
  /** Of before or after a rotation, put here by hand: audit opens what is sealed with it too. */
  keyEncryptionKeyPrevious?: string;
  pepper: string;
  pageTokenKey: string;
  presenceKey: string;
  /** Of before a rotation: moved here by hand, and taken out again once nothing that it signed counts any more. */
  presenceKeyPrevious?: string;
  /** Signs the cookies of sign-ins and sessions. */
  cookieKey: string;
  /** Of before or after a rotation, put here by hand: its signatures count too. */
  cookieKeyPrevious?: string;
  /** Seed of the keys that sign checkpoints of the audit logs. */
  auditSigningKey: string;
}

/** Makes what is missing, so that a new service gets its share in an old stack, and changes nothing that is there. */
export function loadSecrets(file: string, services: readonly string[], busUsers: readonly string[]): Secrets {
  const known = readJson<Partial<Secrets>>(file) ?? {};
  const key = (): string => randomBytes(32).toString('base64url');
  const secrets: Secrets = {
    postgresPassword: known.postgresPassword ?? key(),
    databasePasswords: each(services, known.databasePasswords, key),
    nkeySeeds: each(busUsers, known.nkeySeeds, () => Buffer.from(createUser().getSeed()).toString()),
    keyEncryptionKey: known.keyEncryptionKey ?? key(),
    ...(known.keyEncryptionKeyPrevious !== undefined && { keyEncryptionKeyPrevious: known.keyEncryptionKeyPrevious }),
    pepper: known.pepper ?? key(),
    pageTokenKey: known.pageTokenKey ?? key(),
    presenceKey: known.presenceKey ?? key(),
    ...(known.presenceKeyPrevious !== undefined && { presenceKeyPrevious: known.presenceKeyPrevious }),
    cookieKey: known.cookieKey ?? key(),
    ...(known.cookieKeyPrevious !== undefined && { cookieKeyPrevious: known.cookieKeyPrevious }),
    auditSigningKey: known.auditSigningKey ?? key(),
  };
  writeWhole(file, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

function each(
  names: readonly string[],
  known: Record<string, string> | undefined,
  make: () => string,
): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, known?.[name] ?? make()]));
}
