import { randomBytes } from 'node:crypto';
import { statement, type Sql } from '@holdfast/data';
import { AppError } from '@holdfast/platform';

/** Waits for a concurrent erasure, so that a handle never outlives its customer. */
const lockSubject = statement('user_handle_lock', 'SELECT 1 FROM subject WHERE id = $1 AND org = $2 FOR KEY SHARE');
/** A customer has one handle: concurrent claims get the same one. */
const handleOf = statement(
  'user_handle',
  `INSERT INTO webauthn_user AS u (subject, org, handle) VALUES ($1, $2, $3)
   ON CONFLICT (subject) DO UPDATE SET handle = u.handle RETURNING handle`,
);

/** The WebAuthn user handle of a customer. @throws AppError unknown_claim when the customer has been erased */
export async function userHandle(sql: Sql, subject: string, org: string): Promise<Buffer> {
  if ((await sql.rows(lockSubject, [subject, org])).length === 0) throw new AppError('unknown_claim');
  const [row] = await sql.rows<{ handle: Buffer }>(handleOf, [subject, org, randomBytes(32)]);
  return row!.handle;
}
