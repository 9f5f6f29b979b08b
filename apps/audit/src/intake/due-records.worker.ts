import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { CLOCK, mayExpire, type Clock } from '@holdfast/platform';
import { repeat, Shutdown } from '@holdfast/service';
import type { Item } from '../append/select.js';
import { Sequencer, type Refused } from '../append/sequencer.js';
import { CountedRefusals } from '../denied-requests/denied-request-counts.js';
import { WaitingRecords } from '../quarantine/pending-records.js';

export type Due = Item & Required<Pick<Item, 'record'>>;

/** Where records wait until their time is up. */
export interface DueSource {
  due(): Promise<Due[]>;
  /** Called with those that have their places, however few. */
  forget?(placed: readonly Due[]): Promise<void>;
  /** So that what a log refuses holds up nothing behind it. */
  putOff(refused: readonly Refused<Due>[]): Promise<void>;
}

const every = 1000;

/**
 * Gives what waits its place when its time is up, each source by itself. Replicas may do it at once: each record gets
 * one place.
 */
@Injectable()
export class DueRecords implements OnApplicationBootstrap {
  private readonly logger = new Logger('due records');

  constructor(
    private readonly waiting: WaitingRecords,
    private readonly refusals: CountedRefusals,
    private readonly sequencer: Sequencer,
    private readonly shutdown: Shutdown,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    for (const source of [this.waiting, this.refusals]) {
      const failed = (error: unknown) => this.logger.warn(`records that are due must wait: ${String(error)}`);
      repeat(this.shutdown, { every, permitted: () => mayExpire(this.clock), work: () => this.place(source), failed });
    }
  }

  private async place(source: DueSource): Promise<void> {
    const items = await source.due();
    const refused = await this.sequencer.place(items);
    const stay = new Set(refused.map(({ item }) => item));
    await source.forget?.(items.filter((item) => !stay.has(item)));
    if (refused.length === 0) return;
    await source.putOff(refused);
    for (const [org, [first, ...others]] of Map.groupBy(refused, ({ item }) => item.org)) {
      const records = others.length === 0 ? 'a record' : `${others.length + 1} records`;
      this.logger.error(
        `${records} of ${org} cannot be given a place and will be tried again, later each time: ${String(first!.fault)}. See "When audit records are parked" in the runbook`,
      );
    }
  }
}
