import { isCustomerEvent, streams, tellsErasure, type HouseEvent } from '@holdfast/contracts';
import { Bus, EventConsumer, Shutdown } from '@holdfast/bus';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Item } from './choose.js';
import { Sequencer, type Refused } from './sequencer.js';
import { WaitingRecords } from './waiting-records.js';

/** The records that handlers wrote with their changes arrive with the events of these. */
@Injectable()
export class EventRecords implements OnApplicationBootstrap {
  private readonly logger = new Logger('event records');

  constructor(
    private readonly bus: Bus,
    private readonly sequencer: Sequencer,
    private readonly waiting: WaitingRecords,
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
    const refused = await this.sequencer.place(events.flatMap(itemOf));
    if (refused.length > 0) await this.park(refused);
  }

  /**
   * What a log refuses waits in a table, or an event that can never be acknowledged would keep the whole house's outbox
   * rows and receipts of erasures from being confirmed. An erasure is done all the same: it needs no place.
   */
  private async park(refused: readonly Refused[]): Promise<void> {
    await this.waiting.park(refused.flatMap(({ item: { org, record } }) => (record ? [{ org, record }] : [])));
    await this.sequencer.append(refused.flatMap(({ item: { org, erases } }) => (erases === undefined ? [] : [{ org, erases }])));
    const orgs = [...new Set(refused.map(({ item }) => item.org))].join(', ');
    this.logger.error(`${refused.length} records of changes of ${orgs} cannot be given a place and are parked: ${String(refused[0]!.fault)}. See "When audit records are parked" in the runbook`);
  }
}

export function itemOf(event: HouseEvent): Item[] {
  const { org, audit: record } = event;
  const erases = isCustomerEvent(event) && tellsErasure(event) ? event.subject : undefined;
  if (!record && erases === undefined) return [];
  return [{ org, ...(record && { record }), ...(erases !== undefined && { erases }) }];
}
