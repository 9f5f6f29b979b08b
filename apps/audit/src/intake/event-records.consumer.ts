import { Injectable } from '@nestjs/common';
import { dataSubjectOfEvent, isErasureEvent, streams, type DomainEvent } from '@holdfast/contracts';
import { Consumes } from '@holdfast/messaging';
import type { AppendItem } from '../append/plan.js';
import { Sequencer } from '../append/sequencer.js';
import { PendingRecords } from '../quarantine/pending-records.js';

/** Appends the records that handlers wrote together with their changes and that arrive with the events. */
@Injectable()
export class EventRecords {
  constructor(
    private readonly sequencer: Sequencer,
    private readonly pending: PendingRecords,
  ) {}

  /**
   * Quarantines the records that a log rejects: an event that is never acknowledged would keep outbox rows of all
   * services unconfirmed, and erasures as well. An erasure is executed even if its record is quarantined.
   */
  @Consumes(Object.values(streams))
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
  const erases = isErasureEvent(event) ? dataSubjectOfEvent(event) : undefined;
  if (!record && erases === undefined) return [];
  return [{ org, ...(record && { record }), ...(erases !== undefined && { erases }) }];
}
