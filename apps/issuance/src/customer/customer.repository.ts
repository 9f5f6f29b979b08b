import { namedStatement, rowOf, statement, type Sql } from '@holdfast/data';
import { passkeyIdOf } from '@holdfast/passkeys';
import { customerKey } from '@holdfast/platform';
import { withoutNulls } from '../without-nulls.js';
import type { Customer, CustomerCredential, CustomerOffer, CustomerPasskey } from './customer.js';

interface CustomerRow {
  id: string;
  org: string;
  app: string;
  version: number;
  created_at: Date;
}

/** A passkey as these statements select it. */
export interface PasskeyRow {
  credentialId: string;
  createdAt: Date;
}

export function toCustomerPasskey({ credentialId, createdAt }: PasskeyRow): CustomerPasskey {
  return { id: passkeyIdOf(credentialId), createdAt };
}

/** Locks the customer, so that changes of one customer happen one after the other. */
const lock = statement(
  'customer_lock',
  `SELECT id, org, app, version, created_at FROM subject
   WHERE id = $1 AND org = $2 AND app = coalesce($3, app) FOR UPDATE`,
);
/** The columns of a table `credential c`, named like the members of CustomerCredential. */
export const credentialColumns = `c.id, c.type, c.status, c.revocable, c.created_at AS "createdAt",
  c.valid_until AS "validUntil", c.issued_at AS "issuedAt", c.expires_at AS "expiresAt", c.revoked_at AS "revokedAt",
  c.revoked_reason AS "revokedReason", c.holder_claimed_at AS "holderClaimedAt", c.holder_app AS "holderApp",
  c.document_number AS "documentNumber", c.expiration_emitted_for AS "expirationEmittedFor"`;
const credentialsOf = statement(
  'customer_credentials',
  `SELECT ${credentialColumns} FROM credential c WHERE subject = $1 ORDER BY created_at, id`,
);
/** The columns of a table `offer o`, named like the members of CustomerOffer. */
export const offerColumns = `o.id, o.credential AS "credentialId", o.status, o.created_at AS "createdAt",
  o.expires_at AS "expiresAt", o.return_url AS "returnUrl", o.adds,
  o.expiration_emitted AS "expirationEmitted", o.person`;
const offersOf = statement(
  'customer_offers',
  `SELECT ${offerColumns} FROM offer o WHERE subject = $1 ORDER BY created_at, id`,
);
const passkeysOf = statement(
  'customer_passkeys',
  `SELECT credential_id AS "credentialId", created_at AS "createdAt" FROM passkey WHERE subject = $1
   ORDER BY created_at, credential_id`,
);
const setVersion = statement('customer_version', 'UPDATE subject SET version = $2 WHERE id = $1');
const saveCredential = namedStatement(
  'customer_save_credential',
  {
    id: 'uuid',
    subject: 'uuid',
    org: 'text',
    type: 'text',
    status: 'text',
    revocable: 'boolean',
    created_at: 'timestamptz',
    valid_until: 'timestamptz',
    revoked_at: 'timestamptz',
    revoked_reason: 'text',
    issued_at: 'timestamptz',
    expires_at: 'timestamptz',
    holder_claimed_at: 'timestamptz',
    holder_app: 'text',
    document_number: 'text',
    expiration_emitted_for: 'timestamptz',
  },
  (row) =>
    `INSERT INTO credential ${rowOf(row)}
   ON CONFLICT (id) DO UPDATE SET status = excluded.status, valid_until = excluded.valid_until,
     revoked_at = excluded.revoked_at, revoked_reason = excluded.revoked_reason, revocable = excluded.revocable,
     issued_at = excluded.issued_at, expires_at = excluded.expires_at, holder_claimed_at = excluded.holder_claimed_at,
     holder_app = excluded.holder_app, document_number = excluded.document_number,
     expiration_emitted_for = excluded.expiration_emitted_for,
     sign_ins_since_version = CASE WHEN credential.status = 'issued' AND excluded.status <> 'issued'
       THEN (SELECT version FROM subject WHERE id = excluded.subject) ELSE credential.sign_ins_since_version END`,
);
/** Once it is closed nobody needs to know who made it, and the person may be removed. */
const setOffer = statement(
  'customer_set_offer',
  `UPDATE offer SET status = $2, expiration_emitted = $3, person = CASE WHEN $2 = 'open' THEN person END WHERE id = $1`,
);
const addOffer = namedStatement(
  'customer_add_offer',
  {
    id: 'uuid',
    credential: 'uuid',
    subject: 'uuid',
    org: 'text',
    app: 'text',
    token_hash: 'bytea',
    status: 'text',
    expires_at: 'timestamptz',
    return_url: 'text',
    adds: 'boolean',
    created_at: 'timestamptz',
    person: 'uuid',
  },
  (row) => `INSERT INTO offer ${rowOf(row)}`,
);

/** Locks and reads a customer. With `app`, the customers of other apps do not exist. */
export async function lockCustomer(sql: Sql, id: string, org: string, app?: string): Promise<Customer | undefined> {
  const [row] = await sql.rows<CustomerRow>(lock, [id, org, app]);
  if (!row) return undefined;
  const credentials = (await sql.rows<CustomerCredential>(credentialsOf, [id])).map(withoutNulls);
  const offers = (await sql.rows<CustomerOffer>(offersOf, [id])).map(withoutNulls);
  const passkeys = (await sql.rows<PasskeyRow>(passkeysOf, [id])).map(toCustomerPasskey);
  const { version, created_at: createdAt } = row;
  return { id, org: row.org, app: row.app, version, createdAt, credentials, offers, passkeys };
}

/** Writes the difference between two states of a locked customer. */
export async function saveCustomer(sql: Sql, before: Customer, after: Customer): Promise<void> {
  await sql.rows(setVersion, [after.id, after.version]);
  for (const c of after.credentials.filter((c) => !before.credentials.includes(c))) {
    const values = saveCredential.values({
      id: c.id,
      subject: after.id,
      org: after.org,
      type: c.type,
      status: c.status,
      revocable: c.revocable,
      created_at: c.createdAt,
      valid_until: c.validUntil,
      revoked_at: c.revokedAt,
      revoked_reason: c.revokedReason,
      issued_at: c.issuedAt,
      expires_at: c.expiresAt,
      holder_claimed_at: c.holderClaimedAt,
      holder_app: c.holderApp,
      document_number: c.documentNumber,
      expiration_emitted_for: c.expirationEmittedFor,
    });
    await sql.rows(saveCredential, values);
  }
  for (const o of after.offers.filter((o) => !before.offers.includes(o))) {
    if (before.offers.some((b) => b.id === o.id)) await sql.rows(setOffer, [o.id, o.status, o.expirationEmitted]);
    else {
      const values = addOffer.values({
        id: o.id,
        credential: o.credentialId,
        subject: after.id,
        org: after.org,
        app: after.app,
        token_hash: o.tokenHash,
        status: o.status,
        expires_at: o.expiresAt,
        return_url: o.returnUrl,
        adds: o.adds,
        created_at: o.createdAt,
        person: o.person,
      });
      await sql.rows(addOffer, values);
    }
  }
}

/** Credentials and offers go with the customer (ON DELETE CASCADE). */
const removeCustomer = statement('erase_customer', 'DELETE FROM subject WHERE id = $1');
/** Keeps only the hash of the key of a stored response, so that a late retry cannot create the customer again. */
const emptyResponses = statement(
  'erase_responses',
  'UPDATE idempotency SET fingerprint = NULL, response = NULL, subject = NULL WHERE subject = $1',
);
/** The outbox deletes the other events once they are confirmed. */
const removeEvents = statement('erase_events', 'DELETE FROM outbox WHERE aggregate = $1 AND confirmed');
const addToLedger = statement('erase_ledger', 'INSERT INTO erased (hash) VALUES ($1) ON CONFLICT DO NOTHING');

/** Deletes a locked customer. Only a hash stays, by which a restored backup is erased again (docs/runbook.md). */
export async function eraseCustomer(sql: Sql, { id, org }: Customer): Promise<void> {
  await sql.rows(removeCustomer, [id]);
  await sql.rows(emptyResponses, [id]);
  await sql.rows(removeEvents, [id]);
  await sql.rows(addToLedger, [customerKey(org, id)]);
}
