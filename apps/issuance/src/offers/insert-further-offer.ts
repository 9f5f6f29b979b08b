import type { Offer } from '@holdfast/contracts';
import { insertOutboxRows, type OutboxRow } from '@holdfast/bus';
import { statement, type Sql } from '@holdfast/data';
import { AppError, concerning } from '@holdfast/kit';
import { inTurn, type Change } from '../credentials/change.js';
import type { Customer } from '../credentials/customer.js';
import { lockCustomer, saveCustomer, type OfferSecret } from '../credentials/customers.js';
import type { IdempotencyKey } from '../idempotency/idempotency.js';
import { tellEnds } from '../expiry/expiry.js';
import { furtherOffer, type OfferIds, type OfferTerms } from './offer.js';

/** Waits for a request with the same key that is still running. */
const storeKey = statement(
  'offer_further_key',
  `INSERT INTO idempotency (app, key_hash, fingerprint, answer, subject, event, version, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT DO NOTHING RETURNING 1`,
);

interface Prepared {
  offer: Offer;
  rows: OutboxRow[];
  stored?: IdempotencyKey & { answer: Buffer };
}

/**
 * Stores an offer to a known customer, under the customer's lock; `sql` is an open transaction. Undefined when the
 * Idempotency-Key has an answer already.
 */
export async function insertFurtherOffer(
  sql: Sql,
  who: { id: string; org: string; app: string },
  terms: OfferTerms,
  ids: OfferIds,
  secret: OfferSecret,
  now: Date,
  prepare: (change: Change) => Prepared,
): Promise<(Prepared & { customer: Customer }) | undefined> {
  const before = await lockCustomer(sql, who.id, who.org, who.app);
  if (!before) throw new AppError('unknown_subject');
  const change = concerning([{ type: 'customer', id: who.id, holder: who.id }], () => inTurn(before, (c) => tellEnds(c, now), (c) => furtherOffer(c, terms, ids, now)));
  const { customer } = change;
  const prepared = prepare(change);
  if (prepared.stored && !(await takeKey(sql, prepared.stored, customer, prepared.rows.at(-1)!.id))) return undefined;
  await saveCustomer(sql, before, customer, secret);
  await insertOutboxRows(sql, prepared.rows);
  return { ...prepared, customer };
}

async function takeKey(sql: Sql, key: IdempotencyKey & { answer: Buffer }, customer: Customer, event: string): Promise<boolean> {
  const values = [key.app, key.keyHash, key.fingerprint, key.answer, customer.id, event, customer.version, key.at];
  return (await sql.rows(storeKey, values)).length > 0;
}
