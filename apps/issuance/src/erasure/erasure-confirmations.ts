import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { CustomerEvent } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { insertOutboxRows, Outbox } from '@holdfast/outbox';
import { CLOCK, newId, type Clock } from '@holdfast/platform';
import { repeat, Shutdown } from '@holdfast/service';

const every = 1000;
/**
 * Every service has what was said of the customer, the erasure last. Of two replicas one deletes the row, and writes
 * the receipt.
 */
const forgotten = statement(
  'erase_forgotten',
  `DELETE FROM outbox e WHERE subject = 'evt.issuance.subject.erasure_started' AND confirmed AND NOT EXISTS (SELECT FROM outbox o WHERE o.aggregate = e.aggregate AND NOT o.confirmed)
   RETURNING payload`,
);

/**
 * Tells organizations that a customer is erased once every service has confirmed it: `subject.erased` is the receipt
 * (product §5).
 */
@Injectable()
export class ErasureConfirmations implements OnApplicationBootstrap {
  private readonly logger = new Logger('confirmations');

  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly shutdown: Shutdown,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    const failed = (error: unknown) =>
      this.logger.warn(
        `could not give the receipts of erasures, will try again in a second; the customers are gone all the same: ${String(error)}`,
      );
    repeat(this.shutdown, { every, work: () => this.give(), failed });
  }

  private async give(): Promise<void> {
    const rows = await this.database.transaction(async (sql) => {
      const confirmations = (await sql.rows<{ payload: string }>(forgotten, [])).map(({ payload }) =>
        this.outbox.row(confirmationOf(JSON.parse(payload) as CustomerEvent, this.clock.now())),
      );
      if (confirmations.length > 0) await insertOutboxRows(sql, confirmations);
      return confirmations;
    });
    await this.outbox.published(rows);
  }
}

/** Of the same version, since it changes nothing. */
function confirmationOf({ org, subject, version, requestId, traceparent }: CustomerEvent, now: Date): CustomerEvent {
  return {
    id: newId(),
    type: 'subject.erased',
    occurredAt: now.toISOString(),
    org,
    subject,
    version,
    requestId,
    traceparent,
    data: { subject },
  };
}
