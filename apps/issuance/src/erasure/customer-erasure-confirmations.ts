import { Inject, Injectable } from '@nestjs/common';
import type { CustomerEvent } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { ErasureConfirmations, Outbox } from '@holdfast/outbox';
import { CLOCK, type Clock } from '@holdfast/platform';

/** Emits `subject.erased`, the erasure confirmation, once every service has confirmed the erasure (product §5). */
@Injectable()
export class CustomerErasureConfirmations extends ErasureConfirmations<CustomerEvent> {
  constructor(database: Database, outbox: Outbox, @Inject(CLOCK) clock: Clock) {
    super(database, outbox, clock, 'evt.issuance.subject.erasure_started', ({ subject }) => ({
      type: 'subject.erased',
      subject,
      data: { subject },
    }));
  }
}
