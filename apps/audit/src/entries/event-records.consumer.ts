import { isCustomerEvent, streams, tellsErasure, type HouseEvent } from '@holdfast/contracts';
import { Bus, EventConsumer, Shutdown } from '@holdfast/bus';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Item } from './choose.js';
import { Sequencer } from './sequencer.js';

/** The records that handlers wrote with their changes arrive with the events of these. */
@Injectable()
export class EventRecords implements OnApplicationBootstrap {
  constructor(
    private readonly bus: Bus,
    private readonly sequencer: Sequencer,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    for (const stream of Object.values(streams)) {
      const consumer = new EventConsumer(stream, 'audit', this.bus.connection, (events) => this.apply(events));
      consumer.start();
      this.shutdown.before(() => consumer.stop());
    }
  }

  async apply(events: HouseEvent[]): Promise<void> {
    await this.sequencer.append(events.flatMap(itemOf));
  }
}

export function itemOf(event: HouseEvent): Item[] {
  const { org, audit: record } = event;
  const erases = isCustomerEvent(event) && tellsErasure(event) ? event.subject : undefined;
  if (!record && erases === undefined) return [];
  return [{ org, ...(record && { record }), ...(erases !== undefined && { erases }) }];
}
