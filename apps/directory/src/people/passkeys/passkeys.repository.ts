import { statement, violatedUnique, type Sql } from '@holdfast/data';
import { providerName, type NewPasskey } from '@holdfast/passkeys';
import { AppError, newOpaqueId } from '@holdfast/platform';
import type { Person } from '../person.js';

const add = statement(
  'person_passkey_add',
  `INSERT INTO person_passkey (id, org, person_id, credential_id, name, public_key, counter, transports, aaguid,
     device_type, backed_up, rp_id, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
);
const removeAll = statement('person_passkeys_remove', 'DELETE FROM person_passkey WHERE org = $1 AND person_id = $2');

/**
 * Adds a passkey in the transaction of a change. Its name is at first that of its provider.
 * @returns its id @throws passkey_invalid when the credential id is registered already (WebAuthn Level 3 §7.1, step 26)
 */
export async function addPasskey(
  sql: Sql,
  { org, id: person }: Person,
  passkey: NewPasskey & { rpId: string; name?: string },
  now: Date,
): Promise<string> {
  const { credentialId, publicKey, counter, transports, aaguid, deviceType, backedUp, rpId } = passkey;
  const id = newOpaqueId();
  const name = passkey.name ?? providerName(aaguid) ?? 'Passkey';
  try {
    await sql.rows(add, [
      id,
      org,
      person,
      credentialId,
      name,
      publicKey,
      counter,
      transports,
      aaguid,
      deviceType,
      backedUp,
      rpId,
      now,
    ]);
  } catch (error) {
    if (violatedUnique(error) === undefined) throw error;
    throw new AppError('passkey_invalid', 'This passkey is registered already. Make a new one.');
  }
  return id;
}

export async function removeAllPasskeys(sql: Sql, { org, id }: Person): Promise<void> {
  await sql.rows(removeAll, [org, id]);
}
