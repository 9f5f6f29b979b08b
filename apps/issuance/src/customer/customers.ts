import type { RequestContext } from '@holdfast/contracts';
import type { Sql } from '@holdfast/data';
import { insertOutboxRows, type Mark, type Outbox, type OutboxRow } from '@holdfast/outbox';
import { customerKey, type Audited } from '@holdfast/platform';
import type { Change } from './change.js';
import { eventsOf } from './customer-event.js';
import type { Customer } from './customer.js';
import { saveCustomer } from './customer.repository.js';

/** What is left to do once the transaction has committed: `outbox.published(rows, mark)`. */
export interface Committed {
  rows: OutboxRow[];
  mark: Mark;
}

/**
 * Writes a change of a locked customer with its events and the record of the request: all of it commits, or nothing.
 */
export async function commitChange(
  sql: Sql,
  outbox: Outbox,
  before: Customer,
  change: Change,
  context: RequestContext,
  now: Date,
  audited?: Audited,
): Promise<Committed> {
  const { org, id, version } = change.customer;
  const rows = eventsOf(change, context, now, audited).map((event) => outbox.row(event));
  await saveCustomer(sql, before, change.customer);
  await insertOutboxRows(sql, rows);
  return { rows, mark: { org, aggregate: customerKey(org, id), version } };
}
