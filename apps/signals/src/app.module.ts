import { Module } from '@nestjs/common';
import { AuditDestinationsModule } from './audit-destinations/audit-destinations.module.js';
import { EventsConsumer } from './events.consumer.js';
import { FailingDestinations } from './failing-destinations/failing-destinations.js';
import { FeedModule } from './feed/feed.module.js';
import { SignalsKeyRotation } from './key-rotation.js';
import { SendingModule } from './sending/sending.module.js';
import { SsfModule } from './ssf/ssf.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

@Module({
  imports: [SendingModule, FeedModule, AuditDestinationsModule, WebhooksModule, SsfModule],
  providers: [EventsConsumer, SignalsKeyRotation, FailingDestinations],
})
export class SignalsModule {}
