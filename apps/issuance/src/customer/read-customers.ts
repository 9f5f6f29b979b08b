import { statement, type Sql } from '@holdfast/data';
import { withoutNulls } from '../without-nulls.js';
import type { Customer, CustomerCredential, CustomerOffer } from './customer.js';
import { credentialColumns, offerColumns, toCustomerPasskey, type PasskeyRow } from './customer.repository.js';

/** A locked row of `subject`. */
export type CustomerRow = Omit<Customer, 'credentials' | 'offers' | 'passkeys'>;

const credentialsOf = statement(
  'customers_credentials',
  `SELECT c.subject, ${credentialColumns} FROM credential c
   WHERE c.subject = ANY($1::uuid[]) ORDER BY c.created_at, c.id`,
);
const offersOf = statement(
  'customers_offers',
  `SELECT o.subject, ${offerColumns} FROM offer o WHERE o.subject = ANY($1::uuid[]) ORDER BY o.created_at, o.id`,
);
const passkeysOf = statement(
  'customers_passkeys',
  `SELECT p.subject, p.credential_id AS "credentialId", p.created_at AS "createdAt" FROM passkey p
   WHERE p.subject = ANY($1::uuid[]) ORDER BY p.created_at, p.credential_id`,
);

/** Several locked customers with all that is theirs, in three statements. */
export async function readCustomers(sql: Sql, found: readonly CustomerRow[]): Promise<Customer[]> {
  if (found.length === 0) return [];
  const ids = [found.map((c) => c.id)];
  const credentials = Map.groupBy(
    await sql.rows<CustomerCredential & { subject: string }>(credentialsOf, ids),
    (c) => c.subject,
  );
  const offers = Map.groupBy(await sql.rows<CustomerOffer & { subject: string }>(offersOf, ids), (o) => o.subject);
  const passkeys = Map.groupBy(await sql.rows<PasskeyRow & { subject: string }>(passkeysOf, ids), (p) => p.subject);
  return found.map((c) => ({
    ...c,
    credentials: (credentials.get(c.id) ?? []).map(withoutNulls),
    offers: (offers.get(c.id) ?? []).map(withoutNulls),
    passkeys: (passkeys.get(c.id) ?? []).map(toCustomerPasskey),
  }));
}
