import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { CLOCK, mayExpire, type Clock } from '@holdfast/platform';
import { repeat, Shutdown } from '@holdfast/service';
import { Sequencer } from '../append/sequencer.js';
import { DeniedRequestCounts } from '../denied-requests/denied-request-counts.js';
import { PendingRecords } from '../quarantine/pending-records.js';
import type { DueRecordSource } from '../quarantine/retry.js';

const intervalMs = 1000;

/** Appends stored records when they come due, each source by itself. All replicas may do so: an id is appended once. */
@Injectable()
export class DueRecordsWorker implements OnApplicationBootstrap {
  private readonly logger = new Logger('due records');

  constructor(
    private readonly pending: PendingRecords,
    private readonly deniedRequests: DeniedRequestCounts,
    private readonly sequencer: Sequencer,
    private readonly shutdown: Shutdown,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    for (const source of [this.pending, this.deniedRequests]) {
      const failed = (error: unknown) =>
        this.logger.warn(`Failed to append due records; retrying in 1 s: ${String(error)}`);
      repeat(this.shutdown, {
        every: intervalMs,
        permitted: () => mayExpire(this.clock),
        work: () => this.append(source),
        failed,
      });
    }
  }

  private async append(source: DueRecordSource): Promise<void> {
    const items = await source.due();
    const rejected = await this.sequencer.tryAppend(items);
    const rejectedItems = new Set(rejected.map(({ item }) => item));
    await source.deleteAppended?.(items.filter((item) => !rejectedItems.has(item)));
    if (rejected.length === 0) return;
    await source.postpone(rejected);
    for (const [org, [first, ...others]] of Map.groupBy(rejected, ({ item }) => item.org)) {
      const records = others.length === 0 ? '1 record' : `${others.length + 1} records`;
      this.logger.error(
        `${records} of ${org} cannot be appended and will be retried with growing delays: ${String(first!.error)}. ` +
          'See "When audit records are quarantined" in the runbook',
      );
    }
  }
}
