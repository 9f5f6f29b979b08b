import { Injectable, Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { isDatabaseUnavailable } from '@holdfast/data';
import { LogBudget } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { GrownLogs, type LogsToRead } from '../append/changed-logs.js';
import { RollUps, type UncountedLog } from './roll-ups.js';

const uncountedEntries = new Gauge({
  name: 'holdfast_analytics_uncounted_entries',
  help: 'Entries of audit logs that analytics do not contain yet, as far as this replica knows',
});
const stalledSeconds = new Gauge({
  name: 'holdfast_analytics_stalled_seconds',
  help: 'For how long no further entry of some audit log has been counted although there are some, the longest of all',
});

/** Counts what was appended to the logs. Every replica does so; one at a time counts a log. */
@Injectable()
export class RollUpWorker {
  private readonly logger = new Logger('analytics');
  private readonly failureLines = new LogBudget(1 / 60);
  /** Since when (performance.now()) a log has had no progress. */
  private readonly stalled = new Map<string, { counted: number; sinceMs: number }>();

  private readonly logsToRead: LogsToRead;

  constructor(
    private readonly rollUps: RollUps,
    grownLogs: GrownLogs,
  ) {
    this.logsToRead = grownLogs.consumer();
  }

  @Interval({
    name: 'analytics',
    intervalMs: 5000,
    runAtStart: true,
    failure: 'Failed to count entries of audit logs. Analytics stay as they are until it succeeds',
  })
  async count(stopping: () => boolean): Promise<void> {
    for (let isBehind = true; isBehind && !stopping();) {
      const logs = await this.logsToRead.take((orgs) => this.rollUps.uncounted(orgs));
      // Until they are found to be counted: counting may fail, or another replica may count some of their entries.
      this.logsToRead.add(logs.map(({ org }) => org));
      this.observe(logs);
      isBehind = false;
      for (const { org } of logs) if (!stopping() && (await this.countNext(org))) isBehind = true;
    }
  }

  /** A log that cannot be counted must not keep the others from being counted. */
  private async countNext(org: string): Promise<boolean> {
    try {
      return await this.rollUps.countNext(org);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      if (this.failureLines.take())
        this.logger.error(
          `Entries of ${org} cannot be counted, so its analytics stand still: ${String(error)}. See ` +
            '"HoldfastAnalyticsStalled" in the runbook',
        );
      return false;
    }
  }

  private observe(logs: readonly UncountedLog[]): void {
    const nowMs = performance.now();
    const before = new Map(this.stalled);
    this.stalled.clear();
    for (const { org, counted } of logs) {
      const known = before.get(org);
      this.stalled.set(org, known?.counted === counted ? known : { counted, sinceMs: nowMs });
    }
    uncountedEntries.set(logs.reduce((sum, { entries }) => sum + entries, 0));
    const since = Math.min(nowMs, ...[...this.stalled.values()].map(({ sinceMs }) => sinceMs));
    stalledSeconds.set((nowMs - since) / 1000);
  }
}
