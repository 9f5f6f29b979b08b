import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@holdfast/data';
import { systemContext } from '@holdfast/messaging';
import { insertOutboxRows, Outbox, type OutboxRow } from '@holdfast/outbox';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { customerEvents } from '../customer/customer-event.js';
import { expireDue } from '../customer/expiration.js';
import { isExpirationDue, lockDueCustomers, saveExpirations, tryExpirationLock } from './due-customers.js';

const batchSize = 50;

/**
 * Emits the expirations of offers and credentials: once each, within about a second. Only events and audit records
 * depend on it, since every decision compares with the clock.
 */
@Injectable()
export class ExpirationWorker {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'expirations',
    intervalMs: 1000,
    due: isExpirationDue,
    requiresAgreedClock: true,
    failure: 'Failed to emit expirations. Expired offers and credentials are still refused',
  })
  async emitAll(stopping: () => boolean): Promise<void> {
    while (!stopping() && (await this.emitBatch()) >= batchSize);
  }

  /** Emits due expirations in one transaction. Resolves to the number of customers. */
  private async emitBatch(): Promise<number> {
    const rows = await this.database.transaction<OutboxRow[][]>(async (sql) => {
      if (!(await tryExpirationLock(sql))) return [];
      const now = this.clock.now();
      const context = systemContext('issuance');
      const changes = (await lockDueCustomers(sql, now, batchSize))
        .map((customer) => expireDue(customer, now))
        .filter(({ events }) => events.length > 0);
      if (changes.length === 0) return [];
      await saveExpirations(sql, changes);
      const rows = changes.map((change) => customerEvents(change, context, now).map((event) => this.outbox.row(event)));
      await insertOutboxRows(sql, rows.flat());
      return rows;
    });
    await this.outbox.published(rows.flat());
    return rows.length;
  }
}
