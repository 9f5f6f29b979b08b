import type { UserPasskey } from '@holdfast/contracts';
import { namedStatement, rowOf, statement, type Sql } from '@holdfast/data';
import { passkeyColumns, passkeyValues, providerName, storePasskey, type NewPasskey } from '@holdfast/passkeys';
import { newOpaqueId } from '@holdfast/platform';
import type { Person } from '../person.js';

const add = namedStatement(
  'person_passkey_add',
  { id: 'uuid', org: 'text', person_id: 'uuid', name: 'text', ...passkeyColumns },
  (row) => `INSERT INTO person_passkey ${rowOf(row)}`,
);
const removeAll = statement(
  'person_passkeys_remove',
  `WITH removed AS (DELETE FROM person_passkey WHERE org = $1 AND person_id = $2),
   before AS (SELECT user_handle FROM person WHERE org = $1 AND id = $2)
   UPDATE person SET user_handle = coalesce($3, person.user_handle),
     next_user_handle = CASE WHEN next_user_handle = $3 THEN NULL ELSE next_user_handle END
   FROM before WHERE org = $1 AND id = $2
   RETURNING before.user_handle AS handle`,
);
/** Repeated attempts get the same one: a new passkey replaces that of an attempt that has failed half-way. */
const prepareHandle = statement(
  'person_next_user_handle',
  `UPDATE person SET next_user_handle = coalesce(next_user_handle, $3) WHERE org = $1 AND id = $2
   RETURNING next_user_handle AS handle`,
);

/**
 * Adds a passkey in the transaction of a change. Its name is at first that of its provider.
 * @returns its id @throws passkey_invalid when the credential id is registered already
 */
export async function addPasskey(
  sql: Sql,
  { org, id: person }: Person,
  passkey: NewPasskey & { rpId: string; name?: string },
  now: Date,
): Promise<string> {
  const id = newOpaqueId();
  const name = passkey.name ?? providerName(passkey.aaguid) ?? 'Passkey';
  await storePasskey(sql, add, add.values({ id, org, person_id: person, name, ...passkeyValues(passkey, now) }));
  return id;
}

/**
 * The WebAuthn user handle of the passkey that will replace those of a person. It is another one than they have, so
 * that they stay on the device, and valid, until the recovery succeeds.
 * @returns undefined when the person has been removed
 */
export async function nextUserHandle(
  sql: Sql,
  { org, id }: Pick<Person, 'org' | 'id'>,
  unused: Buffer,
): Promise<Buffer | undefined> {
  const [row] = await sql.rows<{ handle: Buffer }>(prepareHandle, [org, id, unused]);
  return row?.handle;
}

/**
 * @param nextHandle the person's user handle from now on
 * @returns the earlier handle, if it is another one
 */
export async function removeAllPasskeys(
  sql: Sql,
  { org, id }: Person,
  nextHandle: Buffer | undefined,
): Promise<Buffer | undefined> {
  const [before] = await sql.rows<{ handle: Buffer }>(removeAll, [org, id, nextHandle]);
  return before && nextHandle && !before.handle.equals(nextHandle) ? before.handle : undefined;
}

const any = statement('person_passkey_any', 'SELECT 1 FROM person_passkey WHERE org = $1 AND person_id = $2 LIMIT 1');

export async function hasPasskey(sql: Sql, { org, id }: Person): Promise<boolean> {
  return (await sql.rows(any, [org, id])).length > 0;
}

/** A passkey as it is listed. */
export interface PasskeyRow {
  id: string;
  credentialId: string;
  name: string;
  transports: string[];
  deviceType: 'singleDevice' | 'multiDevice';
  createdAt: Date;
  lastUsedAt: Date | null;
}

const list = statement(
  'person_passkey_list',
  `SELECT id, credential_id AS "credentialId", name, transports, device_type AS "deviceType",
     created_at AS "createdAt", last_used_at AS "lastUsedAt"
   FROM person_passkey WHERE org = $1 AND person_id = $2 ORDER BY created_at, id`,
);

/** Oldest first. A person has `maxPasskeys` at most. */
export function passkeysOf(sql: Sql, { org, id }: Pick<Person, 'org' | 'id'>): Promise<PasskeyRow[]> {
  return sql.rows<PasskeyRow>(list, [org, id]);
}

const rename = statement('person_passkey_rename', 'UPDATE person_passkey SET name = $2 WHERE id = $1');
const remove = statement('person_passkey_remove', 'DELETE FROM person_passkey WHERE id = $1');

export async function renamePasskey(sql: Sql, id: string, name: string): Promise<void> {
  await sql.rows(rename, [id, name]);
}

export async function removePasskey(sql: Sql, id: string): Promise<void> {
  await sql.rows(remove, [id]);
}

export function toPasskey({ id, name, deviceType, createdAt, lastUsedAt }: PasskeyRow): UserPasskey {
  return {
    id,
    name,
    synced: deviceType === 'multiDevice',
    createdAt: createdAt.toISOString(),
    ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
  };
}
