import { Inject, Injectable } from '@nestjs/common';
import type { AuditTarget, RequestContext } from '@holdfast/contracts';
import { Database, type Sql } from '@holdfast/data';
import { idempotencyInProgress, insertOutboxRows, Outbox, type KeyedRequest, type OutboxRow } from '@holdfast/outbox';
import { AppError, CLOCK, customerKey, withAuditTargets, type Audited, type Clock } from '@holdfast/platform';
import { change, combine, type Change } from './change.js';
import { customerEvents } from './customer-event.js';
import { CustomerInserts } from './customer-inserts.js';
import type { Customer } from './customer.js';
import { eraseCustomer, lockCustomer, saveCustomer } from './customer.repository.js';
import { expireDue } from './expiration.js';
import { insertCustomers, type NewCustomer } from './insert-customers.js';
import type { CustomerLocator } from './locators.js';

/** The result of a rule. */
export interface RuleResult<Reply> {
  change: Change;
  reply: Reply;
  /** The audit record of the request. Without targets of its own it names those of the locator. */
  audited?: Omit<Audited, 'targets'> & { targets?: AuditTarget[] };
}

/** Decides on a locked customer. `sql` is the transaction of the change. Throws an AppError to deny the request. */
export type Rule<Reply> = (
  customer: Customer,
  transaction: { sql: Sql; now: Date },
) => RuleResult<Reply> | Promise<RuleResult<Reply>>;

/**
 * The customers of issuance. Every change of a customer goes through here, so that no handler can omit a step. It locks
 * the customer, emits due expirations and applies the rule. State, events, audit record and the response for the
 * Idempotency-Key commit together or not at all. The events are published, and the reply waits until the read model has
 * applied them (docs/adr/0004-read-your-writes.md).
 */
@Injectable()
export class Customers {
  constructor(
    private readonly database: Database,
    private readonly inserts: CustomerInserts,
    private readonly outbox: Outbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Changes one customer by a rule. A change without events writes nothing.
   * @throws AppError the locator's `unknown` when there is no such customer
   */
  change<Reply>(
    locator: CustomerLocator,
    context: RequestContext,
    rule: Rule<Reply>,
    keyed?: KeyedRequest,
  ): Promise<Reply> {
    return this.commit(async (sql) => {
      const before = await locked(sql, locator, context.org);
      const now = this.clock.now();
      const expired = expireDue(before, now);
      const decide = async () => rule(expired.customer, { sql, now });
      const targets = locator.targets?.(before);
      const { change, reply, audited } = await (targets ? withAuditTargets(targets, decide) : decide());
      const combined = combine(expired, change);
      if (combined.events.length === 0) return { reply };
      const rows = this.rows(combined, context, now, audited && { targets: targets ?? [], ...audited });
      await saveCustomer(sql, before, combined.customer);
      await insertOutboxRows(sql, rows);
      await keyed?.store(sql, reply, eventOf(rows, combined.customer));
      return { reply, rows, customer: combined.customer };
    });
  }

  /**
   * Adds a customer with the first offer. There is nothing to lock, so one statement inserts all rows, together with
   * those of other customers. With `runFirst` it runs in a transaction of its own, after that.
   * @throws AppError idempotency_in_progress when the key has a response already
   */
  async add<Reply>(
    context: RequestContext,
    { change, reply, audited }: RuleResult<Reply> & { audited: Audited },
    keyed?: KeyedRequest,
    runFirst?: (sql: Sql) => Promise<void>,
  ): Promise<Reply> {
    const { customer } = change;
    const rows = this.rows(change, context, customer.createdAt, audited);
    const row: NewCustomer = { customer, event: rows[0]!, stored: keyed?.sealed(reply) };
    if (runFirst)
      await this.database.transaction(async (sql) => {
        await runFirst(sql);
        if ((await insertCustomers(sql, [row])).size === 0) throw idempotencyInProgress();
      });
    else await this.inserts.add(row);
    await this.published(rows, customer);
    return reply;
  }

  /**
   * Erases a customer with everything that is stored of them. Due expirations are not emitted. The stored response of
   * the erasure does not name the customer.
   */
  erase(locator: CustomerLocator, context: RequestContext, audited: Audited, keyed?: KeyedRequest): Promise<object> {
    return this.commit(async (sql) => {
      const before = await locked(sql, locator, context.org);
      const erased = change(before, {}, { type: 'subject.erasure_started', data: undefined });
      const rows = this.rows(erased, context, this.clock.now(), audited);
      await eraseCustomer(sql, before);
      await insertOutboxRows(sql, rows);
      // Only now: eraseCustomer has emptied the customer's stored responses, and this one must stay.
      await keyed?.store(sql, {}, { event: rows[0]!.id, version: erased.customer.version });
      return { reply: {}, rows, customer: erased.customer };
    });
  }

  private async commit<Reply>(
    work: (sql: Sql) => Promise<{ reply: Reply; rows?: OutboxRow[]; customer?: Customer }>,
  ): Promise<Reply> {
    const { reply, rows, customer } = await this.database.transaction(work);
    if (rows && customer) await this.published(rows, customer);
    return reply;
  }

  private rows(change: Change, context: RequestContext, now: Date, audited?: Audited): OutboxRow[] {
    return customerEvents(change, context, now, audited).map((event) => this.outbox.row(event));
  }

  private published(rows: OutboxRow[], { org, id, version }: Customer): Promise<void> {
    return this.outbox.published(rows, { org, aggregate: customerKey(org, id), version });
  }
}

async function locked(sql: Sql, locator: CustomerLocator, org: string): Promise<Customer> {
  const id = await locator.find(sql, org);
  const customer = id === undefined ? undefined : await lockCustomer(sql, id, org, locator.app);
  if (!customer) throw new AppError(locator.unknown);
  return customer;
}

/** The event that the read model must have applied before a repeat of the request gets its response. */
function eventOf(rows: OutboxRow[], { id, version }: Customer) {
  return { subject: id, event: rows.at(-1)!.id, version };
}
