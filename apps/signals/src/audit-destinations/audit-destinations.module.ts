import { Module } from '@nestjs/common';
import { MakerRights } from '@holdfast/access';
import { AuditWriter, RecordOutbox } from '@holdfast/audit-client';
import { Bus } from '@holdfast/messaging';
import { ClearStoredResponses, Idempotency } from '@holdfast/outbox';
import { Credentials } from './credentials.js';
import { Deliveries } from './delivery/deliveries.js';
import { DeliveryQueue } from './delivery/delivery-queue.js';
import { LogEnds } from './delivery/log-ends.js';
import { Sender } from './delivery/sender.js';
import { DestinationMakers } from './destination-makers.js';
import { DestinationsHandler } from './destinations.handler.js';
import { Destinations } from './destinations.js';
import { outboundsProvider } from './outbounds.js';
import { Suspensions } from './suspensions.js';
import { TestDestination } from './test-destination.js';

const auditWriter = { provide: AuditWriter, inject: [Bus], useFactory: (bus: Bus) => new AuditWriter(bus) };

@Module({
  controllers: [DestinationsHandler],
  providers: [
    auditWriter,
    RecordOutbox,
    Idempotency,
    ClearStoredResponses,
    outboundsProvider,
    { provide: MakerRights, inject: [Bus], useFactory: (bus: Bus) => new MakerRights(bus, 'signals') },
    DestinationMakers,
    Credentials,
    Destinations,
    TestDestination,
    Deliveries,
    DeliveryQueue,
    LogEnds,
    Sender,
    Suspensions,
  ],
  exports: [Suspensions, DestinationMakers, RecordOutbox],
})
export class AuditDestinationsModule {}
