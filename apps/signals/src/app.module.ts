import { Module } from '@nestjs/common';
import { EarlyEvents } from './feed/early-events.js';
import { FeedConsumer } from './feed/feed.consumer.js';
import { Feed } from './feed/feed.js';
import { ListEventsHandler } from './feed/list-events.handler.js';
import { Retention } from './feed/retention.js';

@Module({
  controllers: [ListEventsHandler],
  providers: [FeedConsumer, Feed, EarlyEvents, Retention],
})
export class SignalsModule {}
