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
  `WITH removed AS (DELETE FROM passkey WHERE subject = $1)
   UPDATE webauthn_user u SET sign_ins_since_version = s.version + 1
   FROM subject s WHERE s.id = $1 AND u.subject = $1`,
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

/** Removes all passkeys of a customer: they belong to the customer and not to one credential. */
export async function removePasskeys(sql: Sql, subject: string): Promise<void> {
  await sql.rows(remove, [subject]);
}
