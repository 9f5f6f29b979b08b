import { statement, type Sql } from '@holdfast/data';
import type { NewPasskey } from '@holdfast/passkeys';
import { sha256 } from '@holdfast/platform';

/** A passkey that another device has made, as JSON: its key as base64url. */
export type PendingPasskey = Omit<NewPasskey, 'publicKey'> & { publicKey: string; rpId: string };

export interface PasskeyLink {
  subject: string;
  /** Id of the passkey that was signed in with where the link was made. */
  madeWith: string;
  expiresAt: Date;
  passkey: PendingPasskey | null;
  code: string | null;
  confirmed: boolean;
}

const columns = 'subject, made_with AS "madeWith", expires_at AS "expiresAt", passkey, code, confirmed';
const store = statement(
  'passkey_link_store',
  `INSERT INTO passkey_link (subject, org, token_hash, made_with, expires_at) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (subject) DO UPDATE SET token_hash = excluded.token_hash, made_with = excluded.made_with,
     expires_at = excluded.expires_at, passkey = NULL, code = NULL, confirmed = false`,
);
const byToken = statement(
  'passkey_link_by_token',
  `SELECT ${columns} FROM passkey_link WHERE token_hash = $1 AND org = $2`,
);
const bySubject = statement(
  'passkey_link_by_subject',
  `SELECT ${columns} FROM passkey_link WHERE subject = $1 AND org = $2`,
);
/** One statement, so that of concurrent devices one succeeds. */
const storePending = statement(
  'passkey_link_store_pending',
  `UPDATE passkey_link SET passkey = $3, code = $4
   WHERE token_hash = $1 AND org = $2 AND passkey IS NULL AND expires_at > $5 RETURNING 1`,
);
const confirm = statement(
  'passkey_link_confirm',
  `UPDATE passkey_link SET confirmed = true
   WHERE subject = $1 AND org = $2 AND code = $3 AND NOT confirmed AND expires_at > $4 RETURNING passkey`,
);
const remove = statement('passkey_link_remove', 'DELETE FROM passkey_link WHERE subject = $1 AND org = $2');
const batchSize = 1000;
const removeExpired = statement(
  'passkey_link_remove_expired',
  `DELETE FROM passkey_link WHERE subject IN (
     SELECT subject FROM passkey_link WHERE expires_at < $1::timestamptz - interval '1 hour'
     LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)
   RETURNING 1`,
);

/** Replaces the link of the customer. */
export async function storeLink(
  sql: Sql,
  {
    subject,
    org,
    token,
    madeWith,
    expiresAt,
  }: { subject: string; org: string; token: string } & Pick<PasskeyLink, 'madeWith' | 'expiresAt'>,
): Promise<void> {
  await sql.rows(store, [subject, org, sha256(token), madeWith, expiresAt]);
}

export async function linkOfToken(sql: Sql, token: string, org: string): Promise<PasskeyLink | undefined> {
  return (await sql.rows<PasskeyLink>(byToken, [sha256(token), org]))[0];
}

export async function linkOfSubject(sql: Sql, subject: string, org: string): Promise<PasskeyLink | undefined> {
  return (await sql.rows<PasskeyLink>(bySubject, [subject, org]))[0];
}

/** False when another device was first, or the link has ended. */
export async function storePendingPasskey(
  sql: Sql,
  { token, org, passkey, code }: { token: string; org: string; passkey: PendingPasskey; code: string },
  now: Date,
): Promise<boolean> {
  return (await sql.rows(storePending, [sha256(token), org, JSON.stringify(passkey), code, now])).length > 0;
}

/** Consumes the link. Undefined when there is nothing to confirm with this code. */
export async function confirmLink(
  sql: Sql,
  { subject, org, code }: { subject: string; org: string; code: string },
  now: Date,
): Promise<PendingPasskey | undefined> {
  return (await sql.rows<{ passkey: PendingPasskey }>(confirm, [subject, org, code, now]))[0]?.passkey;
}

export async function removeLink(sql: Sql, subject: string, org: string): Promise<void> {
  await sql.rows(remove, [subject, org]);
}

export async function removeExpiredLinks(sql: Sql, now: Date): Promise<void> {
  while ((await sql.rows(removeExpired, [now])).length === batchSize);
}
