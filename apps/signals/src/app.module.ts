import { Module } from '@nestjs/common';
import { AuditDestinationsModule } from './audit-destinations/audit-destinations.module.js';
import { FailingDestinations } from './failing-destinations/failing-destinations.js';
import { EarlyEvents } from './feed/early-events.js';
import { FeedConsumer } from './feed/feed.consumer.js';
import { Feed } from './feed/feed.js';
import { ListEventsHandler } from './feed/list-events.handler.js';
import { Retention } from './feed/retention.js';
import { SignalsKeyRotation } from './key-rotation.js';

@Module({
  imports: [AuditDestinationsModule],
  controllers: [ListEventsHandler],
  providers: [FeedConsumer, Feed, EarlyEvents, Retention, SignalsKeyRotation, FailingDestinations],
})
export class SignalsModule {}
