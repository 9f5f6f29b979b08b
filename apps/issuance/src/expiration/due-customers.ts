import { statement, tryLock, type Sql } from '@holdfast/data';
import type { Change } from '../customer/change.js';
import type { Customer, CustomerCredential, CustomerOffer } from '../customer/customer.js';
import { credentialColumns, offerColumns } from '../customer/customer.repository.js';
import { withoutNulls } from '../without-nulls.js';

/**
 * By the indexes `offer_ending` and `credential_ending`. Who is being changed right now tells the end of that customer
 * anyway.
 */
const due = statement(
  'ends_due',
  `SELECT id, org, app, version, created_at AS "createdAt" FROM subject WHERE id IN (
     (SELECT subject FROM offer WHERE status = 'open' AND NOT end_told AND expires_at <= $1 ORDER BY expires_at LIMIT $2)
     UNION ALL
     (SELECT subject FROM credential WHERE expires_at IS NOT NULL AND status IN ('issued', 'suspended') AND end_told IS DISTINCT FROM expires_at
        AND expires_at <= $1 ORDER BY expires_at LIMIT $2))
   FOR UPDATE SKIP LOCKED`,
);
const credentialsOf = statement(
  'ends_credentials',
  `SELECT c.subject, ${credentialColumns} FROM credential c WHERE c.subject = ANY($1::uuid[]) ORDER BY c.created_at, c.id`,
);
const offersOf = statement(
  'ends_offers',
  `SELECT o.subject, ${offerColumns} FROM offer o WHERE o.subject = ANY($1::uuid[]) ORDER BY o.created_at, o.id`,
);
const markOffers = statement('ends_mark_offers', 'UPDATE offer SET end_told = true WHERE id = ANY($1::uuid[])');
const markCredentials = statement(
  'ends_mark_credentials',
  'UPDATE credential SET end_told = expires_at WHERE id = ANY($1::uuid[])',
);
const bump = statement(
  'ends_versions',
  'UPDATE subject s SET version = e.version FROM unnest($1::uuid[], $2::int[]) AS e(id, version) WHERE s.id = e.id',
);

/** One replica at a time: whether it is this one's turn until the transaction ends. */
export function tryExpirationLock(sql: Sql): Promise<boolean> {
  return tryLock(sql, 'expirations');
}

/** Locks customers of whom an end is due, twice `limit` at most, and reads them. */
export async function lockDueCustomers(sql: Sql, now: Date, limit: number): Promise<Customer[]> {
  const found = await sql.rows<Omit<Customer, 'credentials' | 'offers'>>(due, [now, limit]);
  if (found.length === 0) return [];
  const ids = [found.map((c) => c.id)];
  const credentials = Map.groupBy(
    await sql.rows<CustomerCredential & { subject: string }>(credentialsOf, ids),
    (c) => c.subject,
  );
  const offers = Map.groupBy(await sql.rows<CustomerOffer & { subject: string }>(offersOf, ids), (o) => o.subject);
  return found.map((c) => ({
    ...c,
    credentials: (credentials.get(c.id) ?? []).map(withoutNulls),
    offers: (offers.get(c.id) ?? []).map(withoutNulls),
  }));
}

/** Notes which ends have been told. */
export async function saveExpirations(sql: Sql, changes: Change[]): Promise<void> {
  const events = changes.flatMap((c) => c.events);
  await sql.rows(markOffers, [events.flatMap((t) => (t.type === 'offer.expired' ? t.data.offerId : []))]);
  await sql.rows(markCredentials, [
    events.flatMap((t) => (t.type === 'credential.expired' ? t.data.credentialId : [])),
  ]);
  await sql.rows(bump, [changes.map((c) => c.customer.id), changes.map((c) => c.customer.version)]);
}
