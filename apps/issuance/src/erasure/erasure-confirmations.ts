import { Inject, Injectable } from '@nestjs/common';
import type { CustomerEvent } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { insertOutboxRows, Outbox } from '@holdfast/outbox';
import { CLOCK, newId, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';

/**
 * Deletes the erasures that every service has confirmed, after all other events of the customer. Of two replicas one
 * deletes the row, and emits the erasure confirmation.
 */
const confirmedErasures = statement(
  'erasures_confirmed',
  `DELETE FROM outbox e WHERE subject = 'evt.issuance.subject.erasure_started' AND confirmed
     AND NOT EXISTS (SELECT FROM outbox o WHERE o.aggregate = e.aggregate AND NOT o.confirmed)
   RETURNING payload`,
);

/** Emits `subject.erased`, the erasure confirmation, once every service has confirmed the erasure (product §5). */
@Injectable()
export class ErasureConfirmations {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'erasure_confirmations',
    intervalMs: 1000,
    failure: 'Failed to emit erasure confirmations. The customers are erased already',
  })
  async emit(): Promise<void> {
    const rows = await this.database.transaction(async (sql) => {
      const confirmations = (await sql.rows<{ payload: string }>(confirmedErasures, [])).map(({ payload }) =>
        this.outbox.row(confirmationOf(JSON.parse(payload) as CustomerEvent, this.clock.now())),
      );
      if (confirmations.length > 0) await insertOutboxRows(sql, confirmations);
      return confirmations;
    });
    await this.outbox.published(rows);
  }
}

/** The confirmation has the version of the erasure, since it changes nothing. */
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
