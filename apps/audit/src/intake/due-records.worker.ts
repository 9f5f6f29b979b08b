import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@holdfast/service';
import { Sequencer } from '../append/sequencer.js';
import { DeniedRequestCounts } from '../denied-requests/denied-request-counts.js';
import { PendingRecords } from '../quarantine/pending-records.js';
import type { DueRecordSource } from '../quarantine/retry.js';

const failure = 'Failed to append due records. They stay in their tables';

/** Appends stored records when they come due, each source by itself. All replicas may do so: an id is appended once. */
@Injectable()
export class DueRecordsWorker {
  private readonly logger = new Logger('due records');

  constructor(
    private readonly pending: PendingRecords,
    private readonly deniedRequests: DeniedRequestCounts,
    private readonly sequencer: Sequencer,
  ) {}

  @Interval({
    name: 'pending_records',
    intervalMs: 1000,
    due: '(SELECT min(due_at) FROM pending_record) IS NOT NULL',
    requiresAgreedClock: true,
    failure,
  })
  async appendPending(): Promise<void> {
    await this.append(this.pending);
  }

  @Interval({
    name: 'denied_request_counts',
    intervalMs: 1000,
    due: '(SELECT min(due_at) FROM denied_request_count) <= $1',
    requiresAgreedClock: true,
    failure,
  })
  async appendDeniedRequests(): Promise<void> {
    await this.append(this.deniedRequests);
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
