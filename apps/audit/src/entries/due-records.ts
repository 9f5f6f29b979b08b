import { repeat, Shutdown } from '@holdfast/bus';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { CountedRefusals } from '../refusals/counted-refusals.js';
import { ProvisionalRecords } from './provisional-records.js';
import { Sequencer } from './sequencer.js';

const every = 1000;

/** Gives provisional records and counted refusals their place when their time is up. Replicas may do it at once: each record gets one place. */
@Injectable()
export class DueRecords implements OnApplicationBootstrap {
  private readonly logger = new Logger('due records');

  constructor(
    private readonly provisional: ProvisionalRecords,
    private readonly refusals: CountedRefusals,
    private readonly sequencer: Sequencer,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    repeat(this.shutdown, { every, work: () => this.place(), failed: (error) => this.logger.warn(`records that are due must wait: ${String(error)}`) });
  }

  async place(): Promise<void> {
    const records = await this.provisional.due();
    await this.sequencer.append(records.map((r) => ({ ...r, provisional: true })));
    const refusals = await this.refusals.due();
    await this.sequencer.append(refusals);
    await this.refusals.forget(refusals);
  }
}
