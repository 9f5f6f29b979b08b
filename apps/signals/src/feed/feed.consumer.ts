import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { consumedBy, type DomainEvent } from '@holdfast/contracts';
import { Bus, EventConsumer } from '@holdfast/messaging';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Shutdown } from '@holdfast/service';
import { Feed } from './feed.js';
import { publicEventsOf } from './public-event.js';

/** Appends the events of the services to the feeds of their organizations. */
@Injectable()
export class FeedConsumer implements OnApplicationBootstrap {
  constructor(
    private readonly bus: Bus,
    private readonly feed: Feed,
    private readonly shutdown: Shutdown,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    for (const stream of consumedBy('signals')) {
      const consumer = new EventConsumer(stream, 'signals', this.bus, (events) => this.apply(events as DomainEvent[]));
      consumer.start();
      this.shutdown.before(() => consumer.stop());
    }
  }

  async apply(events: DomainEvent[]): Promise<void> {
    const now = this.clock.now();
    await this.feed.append(events.flatMap((event) => publicEventsOf(event, now)));
  }
}
