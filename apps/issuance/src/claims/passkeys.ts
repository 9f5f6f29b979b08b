import { namedStatement, rowOf, statement, type Sql } from '@holdfast/data';
import { passkeyColumns, passkeyValues, storePasskey, type NewPasskey } from '@holdfast/passkeys';

const add = namedStatement(
  'passkey_add',
  { subject: 'uuid', org: 'text', ...passkeyColumns },
  (row) => `INSERT INTO passkey ${rowOf(row)}`,
);
/**
 * Sign-ins before the customer's next version do not count, since their passkey is removed. The change that removes it
 * raises the version by one at least.
 */
const remove = statement(
  'passkey_remove',
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
  const [before] = await sql.rows<{ handle: Buffer }>(remove, [subject, nextHandle]);
  return before && nextHandle && !before.handle.equals(nextHandle) ? before.handle : undefined;
}
