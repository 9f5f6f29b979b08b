import { Injectable } from '@nestjs/common';
import { streams, type DirectoryEvent } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Consumes } from '@holdfast/messaging';
import { addEndedOfferRights, endedBy } from './ended-offer-rights.js';
import { EndedOffersWorker } from './ended-offers.worker.js';

/** Ends the open offers of makers that have lost the right to them, for good: a right that returns revives none. */
@Injectable()
export class LostRightsConsumer {
  constructor(
    private readonly database: Database,
    private readonly worker: EndedOffersWorker,
  ) {}

  @Consumes(streams.directory)
  async apply(events: DirectoryEvent[]): Promise<void> {
    const ended = events.flatMap(endedBy);
    if (ended.length === 0) return;
    await addEndedOfferRights(this.database, ended);
    this.worker.wake();
  }
}
