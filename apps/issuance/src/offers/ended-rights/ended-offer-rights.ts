import { lostRights } from '@holdfast/access';
import { operationsOfOffer, type DirectoryEvent } from '@holdfast/contracts';
import { isNotFenced, statement, type Sql } from '@holdfast/data';

/** Offers that end: those of an app or a person, made until the right to make them was lost. */
export interface EndedOfferRight {
  org: string;
  /** Client ID of the app, or id of the person. */
  maker: string;
  existingCustomersOnly: boolean;
  madeUntil: Date;
}

/** Of an `offer o` and its `subject s`: the customer was known before. A first offer is made with its customer. */
export const toExistingCustomer = 'o.created_at > s.created_at';
/** Of the same: its right has ended, and the worker has not withdrawn it yet. The table is empty most of the time. */
export const isEnded = `EXISTS (SELECT FROM ended_offer_right e
  WHERE e.org = o.org AND e.app = coalesce(o.person::text, o.app) AND o.created_at <= e.made_until
    AND (NOT e.existing_customers_only OR ${toExistingCustomer}))`;

const add = statement(
  'ended_offer_right_add',
  `INSERT INTO ended_offer_right AS e (org, app, existing_customers_only, made_until)
   SELECT * FROM unnest($1::text[], $2::text[], $3::boolean[], $4::timestamptz[])
   ON CONFLICT (org, app, existing_customers_only)
     DO UPDATE SET made_until = greatest(e.made_until, excluded.made_until)`,
);
const first = statement(
  'ended_offer_right_first',
  `SELECT org, app AS maker, existing_customers_only AS "existingCustomersOnly", made_until AS "madeUntil"
   FROM ended_offer_right e WHERE ${isNotFenced('e.org')} ORDER BY made_until LIMIT 1`,
);
const remove = statement(
  'ended_offer_right_remove',
  'DELETE FROM ended_offer_right WHERE org = $1 AND app = $2 AND existing_customers_only = $3 AND made_until = $4',
);

/** What an event ends, by what the maker may still do. Nothing in an event by which it has lost no right. */
export function endedBy(event: DirectoryEvent): EndedOfferRight[] {
  const lost = lostRights(event);
  if (!lost) return [];
  const { org, id: maker, type } = lost;
  const ended = { org, maker, madeUntil: new Date(event.occurredAt) };
  const lacks = (existingCustomer: boolean) =>
    operationsOfOffer({ existingCustomer }, { type }).some((operation) => !lost.operations.includes(operation));
  if (lacks(false)) return [{ ...ended, existingCustomersOnly: false }];
  return lacks(true) ? [{ ...ended, existingCustomersOnly: true }] : [];
}

/** Stores what has ended: from its commit on no claim of these succeeds, also when the app gets the right back. */
export async function addEndedOfferRights(sql: Sql, ended: readonly EndedOfferRight[]): Promise<void> {
  // One row for each key, since a statement cannot change a row twice.
  const byKey = new Map<string, EndedOfferRight>();
  for (const right of ended) {
    const key = JSON.stringify([right.org, right.maker, right.existingCustomersOnly]);
    const known = byKey.get(key);
    if (!known || known.madeUntil < right.madeUntil) byKey.set(key, right);
  }
  const rows = [...byKey.values()];
  await sql.rows(add, [
    rows.map(({ org }) => org),
    rows.map(({ maker }) => maker),
    rows.map(({ existingCustomersOnly }) => existingCustomersOnly),
    rows.map(({ madeUntil }) => madeUntil),
  ]);
}

export async function firstEndedOfferRight(sql: Sql): Promise<EndedOfferRight | undefined> {
  return (await sql.rows<EndedOfferRight>(first))[0];
}

/** Unless a later event has added to it. */
export async function removeEndedOfferRight(sql: Sql, ended: EndedOfferRight): Promise<void> {
  await sql.rows(remove, [ended.org, ended.maker, ended.existingCustomersOnly, ended.madeUntil]);
}
