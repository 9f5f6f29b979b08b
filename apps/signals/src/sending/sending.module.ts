import { Module } from '@nestjs/common';
import { MakerRights } from '@holdfast/access';
import { AuditWriter, RecordOutbox } from '@holdfast/audit-client';
import { Bus } from '@holdfast/messaging';
import { ClearStoredResponses, Idempotency } from '@holdfast/outbox';
import { outboundsProvider } from './outbounds.js';
import { Suspensions } from './suspensions.js';

/** What everything that organizations let send by itself has in common. */
@Module({
  providers: [
    { provide: AuditWriter, inject: [Bus], useFactory: (bus: Bus) => new AuditWriter(bus) },
    RecordOutbox,
    Idempotency,
    ClearStoredResponses,
    outboundsProvider,
    { provide: MakerRights, inject: [Bus], useFactory: (bus: Bus) => new MakerRights(bus, 'signals') },
    Suspensions,
  ],
  exports: [RecordOutbox, Idempotency, outboundsProvider, MakerRights, Suspensions],
})
export class SendingModule {}
