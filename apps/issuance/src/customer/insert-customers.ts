import { columns, namedStatement, type Sql } from '@holdfast/data';
import type { OutboxRow, SealedResponse } from '@holdfast/outbox';
import type { Customer } from './customer.js';

/** A customer with the first offer, as it is stored. */
export interface NewCustomer {
  customer: Customer;
  event: OutboxRow;
  /** Of a request with an Idempotency-Key. */
  stored?: SealedResponse | undefined;
}

const items = columns<NewCustomer>({
  subject: ['uuid', ({ customer }) => customer.id],
  org: ['text', ({ customer }) => customer.org],
  app: ['text', ({ customer }) => customer.app],
  created_at: ['timestamptz', ({ customer }) => customer.createdAt],
  credential: ['uuid', (row) => credentialOf(row).id],
  type: ['text', (row) => credentialOf(row).type],
  revocable: ['boolean', (row) => credentialOf(row).revocable],
  valid_until: ['timestamptz', (row) => credentialOf(row).validUntil],
  offer: ['uuid', (row) => offerOf(row).id],
  token_hash: ['bytea', (row) => offerOf(row).tokenHash],
  expires_at: ['timestamptz', (row) => offerOf(row).expiresAt],
  return_url: ['text', (row) => offerOf(row).returnUrl],
  person: ['uuid', (row) => offerOf(row).person],
  event: ['uuid', ({ event }) => event.id],
  aggregate: ['text', ({ event }) => event.aggregate],
  event_subject: ['text', ({ event }) => event.subject],
  payload: ['text', ({ event }) => event.payload],
  caller: ['text', ({ stored }) => stored?.app],
  key_hash: ['bytea', ({ stored }) => stored?.keyHash],
  fingerprint: ['bytea', ({ stored }) => stored?.fingerprint],
  response: ['bytea', ({ stored }) => stored?.response],
});

/**
 * The rows of first offers: customers, credentials, offers, events and stored responses in one statement, which is one
 * transaction and one round trip.
 *
 * An Idempotency-Key commits with the effect or not at all: of two requests with one key the second waits here until
 * the first one has committed, and then gets its response. The keys are inserted in order, so that two statements with
 * the same keys cannot deadlock.
 */
const insert = namedStatement(
  'offer_first',
  { items },
  (p) =>
    `WITH item AS (SELECT * FROM ${p.items.unnest('i')}),
   key AS (
     INSERT INTO idempotency (app, key_hash, fingerprint, response, subject, event, version, created_at, org)
     SELECT caller, key_hash, fingerprint, response, subject, event, 1, created_at, org FROM item
     WHERE key_hash IS NOT NULL ORDER BY caller, key_hash ON CONFLICT DO NOTHING RETURNING event),
   go AS (SELECT * FROM item WHERE key_hash IS NULL OR event IN (SELECT event FROM key)),
   new_subject AS (
     INSERT INTO subject (id, org, app, version, created_at) SELECT subject, org, app, 1, created_at FROM go),
   new_credential AS (
     INSERT INTO credential (id, subject, org, type, status, revocable, created_at, valid_until)
     SELECT credential, subject, org, type, 'offered', revocable, created_at, valid_until FROM go),
   new_offer AS (
     INSERT INTO offer
       (id, credential, subject, org, app, token_hash, status, expires_at, return_url, created_at, person)
     SELECT offer, credential, subject, org, app, token_hash, 'open', expires_at, return_url, created_at, person
     FROM go),
   new_event AS (
     INSERT INTO outbox (id, aggregate, subject, payload) SELECT event, aggregate, event_subject, payload FROM go)
   SELECT event FROM go`,
);

/**
 * Stores new customers, all of them or, when it throws, none.
 *
 * @returns the ids of the events that were stored: without those of requests whose key has a response already
 */
export async function insertCustomers(sql: Sql, rows: readonly NewCustomer[]): Promise<Set<string>> {
  return new Set((await sql.rows<{ event: string }>(insert, insert.values({ items: rows }))).map(({ event }) => event));
}

function credentialOf({ customer }: NewCustomer) {
  return one(customer.credentials);
}

function offerOf({ customer }: NewCustomer) {
  return one(customer.offers);
}

function one<Item>([item, ...others]: readonly Item[]): Item {
  if (!item || others.length > 0) throw new Error('a new customer has one credential and one offer');
  return item;
}
