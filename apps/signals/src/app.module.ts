import { Module } from '@nestjs/common';
import { AuditDestinationsModule } from './audit-destinations/audit-destinations.module.js';
import { FailingDestinations } from './failing-destinations/failing-destinations.js';
import { FeedConsumer } from './feed/feed.consumer.js';
import { FeedModule } from './feed/feed.module.js';
import { SignalsKeyRotation } from './key-rotation.js';
import { SendingModule } from './sending/sending.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

@Module({
  imports: [SendingModule, FeedModule, AuditDestinationsModule, WebhooksModule],
  providers: [FeedConsumer, SignalsKeyRotation, FailingDestinations],
})
export class SignalsModule {}
