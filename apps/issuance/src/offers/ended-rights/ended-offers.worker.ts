import { Inject, Injectable } from '@nestjs/common';
import { Database, statement, tryLock, type Sql } from '@holdfast/data';
import { systemContext } from '@holdfast/messaging';
import { insertOutboxRows, Outbox, type OutboxRow } from '@holdfast/outbox';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { combine } from '../../customer/change.js';
import { customerEvents } from '../../customer/customer-event.js';
import { saveCustomer } from '../../customer/customer.repository.js';
import { expireDue } from '../../customer/expiration.js';
import { readCustomers, type CustomerRow } from '../../customer/read-customers.js';
import { endedOffers } from '../offer.js';
import {
  firstEndedOfferRight,
  removeEndedOfferRight,
  toExistingCustomer,
  type EndedOfferRight,
} from './ended-offer-rights.js';

const batchSize = 50;

/** An expired offer cannot be claimed, and has had its event. */
const customersOf = (name: string, isOfMaker: string) =>
  statement(
    name,
    `SELECT id, org, app, version, created_at AS "createdAt" FROM subject WHERE id IN (
       SELECT o.subject FROM offer o JOIN subject s ON s.id = o.subject
        WHERE o.org = $1 AND ${isOfMaker} AND o.status = 'open' AND o.created_at <= $3 AND o.expires_at > $4
          AND (NOT $5 OR ${toExistingCustomer}) ORDER BY o.id LIMIT $6)
     ORDER BY id FOR UPDATE`,
  );
/** Uses the index `offer_open_maker`. */
const customersOfApp = customersOf('ended_offers_customers', 'o.app = $2 AND o.person IS NULL');
/** Uses the index `offer_open_person`. */
const customersOfPerson = customersOf('ended_offers_customers_of_person', 'o.person = $2::uuid');
/** What is left are expired offers: nobody can claim them, and no row names a person who was removed. */
const forgetPerson = statement(
  'ended_offers_forget_person',
  `UPDATE offer SET person = NULL WHERE org = $1 AND person = $2::uuid AND status = 'open' AND created_at <= $3`,
);

/**
 * Withdraws the open offers whose maker has lost its right, in batches, each with its event and its record. They cannot
 * be claimed any more before it begins.
 */
@Injectable()
export class EndedOffersWorker {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** There is something to do now. The interval repeats a failed run, and logs and counts it. */
  wake(): void {
    void this.withdrawAll(() => false).catch(() => undefined);
  }

  @Interval({
    name: 'ended_offers',
    intervalMs: 1000,
    due: 'EXISTS (SELECT FROM ended_offer_right)',
    failure: 'Failed to withdraw offers whose maker has lost the right to make them. They cannot be claimed',
  })
  async withdrawAll(stopping: () => boolean): Promise<void> {
    while (!stopping() && (await this.withdrawBatch()));
  }

  /** One batch in one transaction, at one replica at a time. Resolves to whether there may be more. */
  private async withdrawBatch(): Promise<boolean> {
    const rows = await this.database.transaction<OutboxRow[] | undefined>(async (sql) => {
      if (!(await tryLock(sql, 'ended offer rights'))) return undefined;
      const ended = await firstEndedOfferRight(sql);
      if (!ended) return undefined;
      const rows = await this.withdraw(sql, ended);
      if (rows.length === 0) await this.finish(sql, ended);
      return rows;
    });
    if (rows) await this.outbox.published(rows);
    return rows !== undefined;
  }

  private async withdraw(sql: Sql, ended: EndedOfferRight): Promise<OutboxRow[]> {
    const now = this.clock.now();
    const { org, maker, madeUntil, existingCustomersOnly } = ended;
    const values = [org, maker, madeUntil, now, existingCustomersOnly, batchSize];
    const query = isApp(maker) ? customersOfApp : customersOfPerson;
    const customers = await readCustomers(sql, await sql.rows<CustomerRow>(query, values));
    const rows: OutboxRow[] = [];
    for (const customer of customers) {
      const expired = expireDue(customer, now);
      const change = combine(expired, endedOffers(expired.customer, ended, now));
      if (change.events.length === 0) continue;
      await saveCustomer(sql, customer, change.customer);
      rows.push(...customerEvents(change, systemContext('issuance'), now).map((event) => this.outbox.row(event)));
    }
    if (rows.length > 0) await insertOutboxRows(sql, rows);
    return rows;
  }

  private async finish(sql: Sql, ended: EndedOfferRight): Promise<void> {
    const { org, maker, madeUntil, existingCustomersOnly } = ended;
    if (!isApp(maker) && !existingCustomersOnly) await sql.rows(forgetPerson, [org, maker, madeUntil]);
    await removeEndedOfferRight(sql, ended);
  }
}

/** A client ID, and not the UUID of a person. */
function isApp(maker: string): boolean {
  return maker.startsWith('app_');
}
