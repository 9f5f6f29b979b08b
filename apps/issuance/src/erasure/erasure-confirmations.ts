import { Inject, Injectable } from '@nestjs/common';
import type { CustomerEvent } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { confirmErasures, Outbox } from '@holdfast/outbox';
import { CLOCK, newId, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';

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
    await confirmErasures<CustomerEvent>(
      this.database,
      this.outbox,
      'evt.issuance.subject.erasure_started',
      (erasure) => confirmationOf(erasure, this.clock.now()),
    );
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
