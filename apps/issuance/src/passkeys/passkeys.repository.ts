import type { CustomerPasskey } from '@holdfast/contracts';
import { namedStatement, rowOf, statement, type Sql } from '@holdfast/data';
import {
  passkeyColumns,
  passkeyIdInSql,
  passkeyIdOf,
  passkeyValues,
  providerName,
  storePasskey,
  type NewPasskey,
} from '@holdfast/passkeys';

const add = namedStatement(
  'passkey_add',
  { subject: 'uuid', org: 'text', ...passkeyColumns },
  (row) => `INSERT INTO passkey ${rowOf(row)}`,
);
/**
 * Sign-ins before the customer's next version do not count, since their passkey is removed. The change that removes it
 * raises the version by one at least.
 */
const removeAll = statement(
  'passkey_remove_all',
  `WITH removed AS (DELETE FROM passkey WHERE subject = $1),
   before AS (SELECT handle FROM webauthn_user WHERE subject = $1)
   UPDATE webauthn_user u
   SET sign_ins_since_version = s.version + 1, handle = coalesce($2, u.handle),
     next_handle = CASE WHEN next_handle = $2 THEN NULL ELSE next_handle END
   FROM subject s, before WHERE s.id = $1 AND u.subject = $1
   RETURNING before.handle`,
);

/**
 * A credential id is unique in its organization only: otherwise a claim would reveal that another organization has it.
 * @throws AppError passkey_invalid when the credential id is registered already
 */
export async function addPasskey(
  sql: Sql,
  passkey: NewPasskey & { subject: string; org: string; rpId: string; createdAt: Date },
): Promise<void> {
  const { subject, org, createdAt } = passkey;
  await storePasskey(sql, add, add.values({ subject, org, ...passkeyValues(passkey, createdAt) }));
}

/**
 * Removes all passkeys of a customer: they belong to the customer and not to one credential.
 * @param nextHandle the customer's user handle from now on
 * @returns the earlier handle, if it is another one
 */
export async function removePasskeys(
  sql: Sql,
  subject: string,
  nextHandle: Buffer | undefined,
): Promise<Buffer | undefined> {
  const [before] = await sql.rows<{ handle: Buffer }>(removeAll, [subject, nextHandle]);
  return before && nextHandle && !before.handle.equals(nextHandle) ? before.handle : undefined;
}

export interface StoredPasskey {
  /** passkeyIdOf() of its credential id. */
  id: string;
  credentialId: string;
  transports: string[];
  name: string | null;
  aaguid: string;
  deviceType: 'singleDevice' | 'multiDevice';
  createdAt: Date;
  lastUsedAt: Date | null;
  /** User handle of the customer. */
  handle: Buffer;
}

const list = statement(
  'customer_passkey_list',
  `SELECT p.credential_id AS "credentialId", p.transports, p.name, p.aaguid, p.device_type AS "deviceType",
     p.created_at AS "createdAt", p.last_used_at AS "lastUsedAt", u.handle
   FROM passkey p JOIN webauthn_user u ON u.subject = p.subject
   WHERE p.subject = $1 AND p.org = $2 ORDER BY p.created_at, p.credential_id`,
);
const rename = statement(
  'customer_passkey_rename',
  `UPDATE passkey SET name = $3 WHERE subject = $1 AND ${passkeyIdInSql('credential_id')} = $2`,
);
const remove = statement(
  'customer_passkey_remove',
  `DELETE FROM passkey WHERE subject = $1 AND ${passkeyIdInSql('credential_id')} = $2`,
);

/** All passkeys of a customer, oldest first; there are a few. */
export async function passkeysOf(sql: Sql, subject: string, org: string): Promise<StoredPasskey[]> {
  const rows = await sql.rows<Omit<StoredPasskey, 'id'>>(list, [subject, org]);
  return rows.map((row) => ({ ...row, id: passkeyIdOf(row.credentialId) }));
}

export async function renamePasskey(sql: Sql, subject: string, id: string, name: string): Promise<void> {
  await sql.rows(rename, [subject, id, name]);
}

export async function removePasskey(sql: Sql, subject: string, id: string): Promise<void> {
  await sql.rows(remove, [subject, id]);
}

/** Without a name of the customer, a passkey has that of its provider. */
export function toPasskey(passkey: StoredPasskey): CustomerPasskey {
  const { id, name, aaguid, deviceType, createdAt, lastUsedAt } = passkey;
  return {
    id,
    name: name ?? providerName(aaguid) ?? 'Passkey',
    synced: deviceType === 'multiDevice',
    createdAt: createdAt.toISOString(),
    ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
  };
}
