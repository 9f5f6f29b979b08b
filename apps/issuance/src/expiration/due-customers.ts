import { isNotFenced, statement, tryLock, type Sql } from '@holdfast/data';
import type { Change } from '../customer/change.js';
import type { Customer } from '../customer/customer.js';
import { readCustomers, type CustomerRow } from '../customer/read-customers.js';

/** Whether an expiration may be due (IntervalOptions.due), from the first entries of the same indexes. */
export const isExpirationDue = `least(
  (SELECT min(expires_at) FROM offer WHERE status = 'open' AND NOT expiration_emitted),
  (SELECT min(expires_at) FROM credential WHERE expires_at IS NOT NULL AND status IN ('issued', 'suspended')
     AND expiration_emitted_for IS DISTINCT FROM expires_at)) <= $1`;
/**
 * Uses the indexes `offer_due` and `credential_due`. A locked customer is skipped: the change that holds the lock emits
 * the expiration.
 */
const due = statement(
  'expirations_due',
  `SELECT id, org, app, version, created_at AS "createdAt" FROM subject WHERE id IN (
     (SELECT subject FROM offer o WHERE status = 'open' AND NOT expiration_emitted AND expires_at <= $1
        AND ${isNotFenced('o.org')}
      ORDER BY expires_at LIMIT $2)
     UNION ALL
     (SELECT subject FROM credential c WHERE expires_at IS NOT NULL AND status IN ('issued', 'suspended')
        AND expiration_emitted_for IS DISTINCT FROM expires_at AND expires_at <= $1
        AND ${isNotFenced('c.org')}
      ORDER BY expires_at LIMIT $2))
   FOR UPDATE SKIP LOCKED`,
);
const saveOffers = statement(
  'expirations_save_offers',
  'UPDATE offer SET expiration_emitted = true WHERE id = ANY($1::uuid[])',
);
const saveCredentials = statement(
  'expirations_save_credentials',
  'UPDATE credential SET expiration_emitted_for = expires_at WHERE id = ANY($1::uuid[])',
);
const saveVersions = statement(
  'expirations_save_versions',
  `UPDATE subject s SET version = e.version FROM unnest($1::uuid[], $2::int[]) AS e(id, version)
   WHERE s.id = e.id`,
);

/** Whether this replica may emit expirations until its transaction ends: one replica does at a time. */
export function tryExpirationLock(sql: Sql): Promise<boolean> {
  return tryLock(sql, 'expirations');
}

/** Locks and reads customers with a due expiration, twice `limit` at most. */
export async function lockDueCustomers(sql: Sql, now: Date, limit: number): Promise<Customer[]> {
  return readCustomers(sql, await sql.rows<CustomerRow>(due, [now, limit]));
}

/** Stores which expirations have been emitted, for all customers at once. */
export async function saveExpirations(sql: Sql, changes: Change[]): Promise<void> {
  const events = changes.flatMap((c) => c.events);
  await sql.rows(saveOffers, [events.flatMap((e) => (e.type === 'offer.expired' ? e.data.offerId : []))]);
  await sql.rows(saveCredentials, [
    events.flatMap((e) => (e.type === 'credential.expired' ? e.data.credentialId : [])),
  ]);
  await sql.rows(saveVersions, [changes.map((c) => c.customer.id), changes.map((c) => c.customer.version)]);
}
