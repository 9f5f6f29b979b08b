import { Inject, Injectable } from '@nestjs/common';
import { streams, type DomainEvent } from '@holdfast/contracts';
import { Consumes } from '@holdfast/messaging';
import { CLOCK, type Clock } from '@holdfast/platform';
import { DestinationMakers } from './audit-destinations/destination-makers.js';
import { Feed } from './feed/feed.js';
import { publicEventsOf } from './feed/public-event.js';
import { Suspensions } from './sending/suspensions.js';
import { StreamMakers } from './ssf/stream-makers.js';
import { StreamPauses } from './ssf/stream-pauses.js';
import { EndpointMakers } from './webhooks/endpoint-makers.js';

/**
 * Appends the events of the services to the feeds of their organizations, and follows which are suspended, and which
 * makers of destinations, webhook endpoints and streams lose rights.
 */
@Injectable()
export class EventsConsumer {
  constructor(
    private readonly feed: Feed,
    private readonly suspensions: Suspensions,
    private readonly destinationMakers: DestinationMakers,
    private readonly endpointMakers: EndpointMakers,
    private readonly streamMakers: StreamMakers,
    private readonly streamPauses: StreamPauses,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Consumes(Object.values(streams))
  async apply(events: DomainEvent[]): Promise<void> {
    const now = this.clock.now();
    await this.suspensions.apply(events);
    await this.destinationMakers.apply(events);
    await this.endpointMakers.apply(events);
    await this.streamMakers.apply(events);
    await this.streamPauses.apply(events);
    await this.feed.append(events.flatMap((event) => publicEventsOf(event, now)));
  }
}
