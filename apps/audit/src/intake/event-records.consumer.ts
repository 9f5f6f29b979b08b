import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { isCustomerEvent, streams, tellsErasure, type DomainEvent } from '@holdfast/contracts';
import { Bus, EventConsumer } from '@holdfast/messaging';
import { Shutdown } from '@holdfast/service';
import type { Item } from '../append/select.js';
import { Sequencer } from '../append/sequencer.js';
import { WaitingRecords } from '../quarantine/pending-records.js';

/** The records that handlers wrote with their changes arrive with the events of these. */
@Injectable()
export class EventRecords implements OnApplicationBootstrap {
  constructor(
    private readonly bus: Bus,
    private readonly sequencer: Sequencer,
    private readonly waiting: WaitingRecords,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    for (const stream of Object.values(streams)) {
      const consumer = new EventConsumer(stream, 'audit', this.bus, (events) => this.apply(events));
      consumer.start();
      this.shutdown.before(() => consumer.stop());
    }
  }

  /**
   * What a log refuses waits in a table: an event that is never acknowledged would keep the whole house's outbox rows
   * and receipts of erasures from being confirmed. An erasure is done all the same: it needs no place.
   */
  async apply(events: DomainEvent[]): Promise<void> {
    const refused = await this.sequencer.place(events.flatMap(itemOf));
    if (refused.length === 0) return;
    await this.waiting.park(refused);
    await this.sequencer.append(
      refused.flatMap(({ item: { org, erases } }) => (erases === undefined ? [] : [{ org, erases }])),
    );
  }
}

export function itemOf(event: DomainEvent): Item[] {
  const { org, audit: record } = event;
  const erases = isCustomerEvent(event) && tellsErasure(event) ? event.subject : undefined;
  if (!record && erases === undefined) return [];
  return [{ org, ...(record && { record }), ...(erases !== undefined && { erases }) }];
}
