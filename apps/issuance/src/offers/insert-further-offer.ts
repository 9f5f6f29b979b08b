import type { Offer } from '@holdfast/contracts';
import type { Sql } from '@holdfast/data';
import { insertOutboxRows, type OutboxRow } from '@holdfast/outbox';
import { AppError, concerning } from '@holdfast/platform';
import { compose, type Change } from '../customer/change.js';
import type { Customer } from '../customer/customer.js';
import { lockCustomer, saveCustomer, type OfferSecret } from '../customer/customer.repository.js';
import { expireDue } from '../customer/expiration.js';
import { storeAnswer, type IdempotencyKey } from '../idempotency/idempotency.js';
import { furtherOffer, type OfferIds, type OfferTerms } from './offer.js';

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
  const change = concerning([{ type: 'customer', id: who.id, dataSubject: who.id }], () =>
    compose(
      before,
      (c) => expireDue(c, now),
      (c) => furtherOffer(c, terms, ids, now),
    ),
  );
  const { customer } = change;
  const prepared = prepare(change);
  const { stored } = prepared;
  if (
    stored &&
    !(await storeAnswer(sql, stored, {
      answer: stored.answer,
      subject: customer.id,
      event: prepared.rows.at(-1)!.id,
      version: customer.version,
    }))
  )
    return undefined;
  await saveCustomer(sql, before, customer, secret);
  await insertOutboxRows(sql, prepared.rows);
  return { ...prepared, customer };
}
