import { Module } from '@nestjs/common';
import { EarlyEvents } from './early-events.js';
import { Feed } from './feed.js';
import { ListEventsHandler } from './list-events.handler.js';
import { Retention } from './retention.js';

@Module({ controllers: [ListEventsHandler], providers: [Feed, EarlyEvents, Retention], exports: [Feed] })
export class FeedModule {}
