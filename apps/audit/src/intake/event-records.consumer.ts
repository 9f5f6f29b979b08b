import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { isCustomerEvent, streams, tellsErasure, type DomainEvent } from '@holdfast/contracts';
import { Bus, EventConsumer } from '@holdfast/messaging';
import { Shutdown } from '@holdfast/service';
import type { AppendItem } from '../append/plan.js';
import { Sequencer } from '../append/sequencer.js';
import { PendingRecords } from '../quarantine/pending-records.js';

/** Appends the records that handlers wrote together with their changes and that arrive with the events. */
@Injectable()
export class EventRecords implements OnApplicationBootstrap {
  constructor(
    private readonly bus: Bus,
    private readonly sequencer: Sequencer,
    private readonly pending: PendingRecords,
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
   * Quarantines the records that a log rejects: an event that is never acknowledged would keep outbox rows of all
   * services unconfirmed, and erasures as well. An erasure is executed even if its record is quarantined.
   */
  async apply(events: DomainEvent[]): Promise<void> {
    const rejected = await this.sequencer.tryAppend(events.flatMap(appendItemOf));
    if (rejected.length === 0) return;
    await this.pending.quarantine(rejected);
    await this.sequencer.append(
      rejected.flatMap(({ item: { org, erases } }) => (erases === undefined ? [] : [{ org, erases }])),
    );
  }
}

function appendItemOf(event: DomainEvent): AppendItem[] {
  const { org, audit: record } = event;
  const erases = isCustomerEvent(event) && tellsErasure(event) ? event.subject : undefined;
  if (!record && erases === undefined) return [];
  return [{ org, ...(record && { record }), ...(erases !== undefined && { erases }) }];
}
