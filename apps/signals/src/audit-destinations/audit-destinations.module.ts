import { Module } from '@nestjs/common';
import { SendingModule } from '../sending/sending.module.js';
import { Credentials } from './credentials.js';
import { Deliveries } from './delivery/deliveries.js';
import { DeliveryQueue } from './delivery/delivery-queue.js';
import { LogEnds } from './delivery/log-ends.js';
import { Sender } from './delivery/sender.js';
import { DestinationMakers } from './destination-makers.js';
import { DestinationsHandler } from './destinations.handler.js';
import { Destinations } from './destinations.js';
import { TestDestination } from './test-destination.js';

@Module({
  imports: [SendingModule],
  controllers: [DestinationsHandler],
  providers: [
    DestinationMakers,
    Credentials,
    Destinations,
    TestDestination,
    Deliveries,
    DeliveryQueue,
    LogEnds,
    Sender,
  ],
  exports: [DestinationMakers, LogEnds],
})
export class AuditDestinationsModule {}
