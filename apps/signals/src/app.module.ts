import { Module } from '@nestjs/common';
import { FeedConsumer } from './feed/feed.consumer.js';
import { Feed } from './feed/feed.js';
import { ListEventsHandler } from './feed/list-events.handler.js';
import { Overdue } from './feed/overdue.js';
import { Retention } from './feed/retention.js';

@Module({
  controllers: [ListEventsHandler],
  providers: [FeedConsumer, Feed, Overdue, Retention],
})
export class SignalsModule {}
