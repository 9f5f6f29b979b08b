import { statement, type Sql } from '@holdfast/data';
import { idempotencyInProgress, type OutboxRow, type SealedResponse } from '@holdfast/outbox';
import type { Customer } from './customer.js';

/**
 * The rows of a first offer: customer, credential, offer and event in one statement, which is one transaction and one
 * round trip.
 */
const rows = `
  new_subject AS (
    INSERT INTO subject (id, org, app, version, created_at) SELECT $1, $2, $3, 1, $4 FROM go RETURNING id),
  new_credential AS (
    INSERT INTO credential (id, subject, org, type, status, revocable, created_at, valid_until)
    SELECT $5, $1, $2, $6, 'offered', $7, $4, $8 FROM go),
  new_offer AS (
    INSERT INTO offer (id, credential, subject, org, app, token_hash, status, expires_at, return_url, created_at)
    SELECT $9, $5, $1, $2, $3, $10, 'open', $11, $12, $4 FROM go),
  new_event AS (
    INSERT INTO outbox (id, aggregate, subject, payload) SELECT $13, $14, $15, $16 FROM go)`;

const plain = statement('offer_first', types(`WITH go AS (SELECT 1), ${rows} SELECT true AS inserted`));

/**
 * The same with an Idempotency-Key. The key commits with the effect or not at all: of two requests with one key the
 * second waits here until the first one has committed, and then gets its response.
 */
const keyed = statement(
  'offer_first_keyed',
  types(`WITH go AS (
    INSERT INTO idempotency (app, key_hash, fingerprint, response, subject, event, version, created_at, org)
    SELECT $3, $17, $18, $19, $1, $13, 1, $4, $2 ON CONFLICT DO NOTHING RETURNING 1),
  ${rows} SELECT EXISTS (SELECT 1 FROM go) AS inserted`),
);

/** Adds each parameter's type, since inside SELECT lists PostgreSQL takes an untyped one for text. */
function types(sql: string): string {
  const typed: Record<string, string> = {
    $1: 'uuid',
    $2: 'text',
    $3: 'text',
    $4: 'timestamptz',
    $5: 'uuid',
    $6: 'text',
    $7: 'boolean',
    $8: 'timestamptz',
    $9: 'uuid',
    $10: 'bytea',
    $11: 'timestamptz',
    $12: 'text',
    $13: 'uuid',
    $14: 'text',
    $15: 'text',
    $16: 'text',
    $17: 'bytea',
    $18: 'bytea',
    $19: 'bytea',
  };
  return sql.replace(/\$\d+/g, (parameter) => `${parameter}::${typed[parameter]}`);
}

/** Stores a new customer with the first offer. @throws AppError idempotency_in_progress when the key has a response */
export async function insertCustomer(
  sql: Sql,
  customer: Customer,
  event: OutboxRow,
  stored?: SealedResponse,
): Promise<void> {
  const [credential] = customer.credentials;
  const [offer] = customer.offers;
  if (!credential || !offer) throw new Error('a new customer has one credential and one offer');
  const values = [
    customer.id,
    customer.org,
    customer.app,
    customer.createdAt,
    credential.id,
    credential.type,
    credential.revocable,
    credential.validUntil,
    offer.id,
    offer.tokenHash,
    offer.expiresAt,
    offer.returnUrl,
    event.id,
    event.aggregate,
    event.subject,
    event.payload,
  ];
  const [result] = await (stored
    ? sql.rows<{ inserted: boolean }>(keyed, [...values, stored.keyHash, stored.fingerprint, stored.response])
    : sql.rows<{ inserted: boolean }>(plain, values));
  if (!result!.inserted) throw idempotencyInProgress();
}
