import { Injectable, Logger } from '@nestjs/common';
import { Database, isDatabaseUnavailable, isNotFenced, statement } from '@holdfast/data';
import { AppError } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { GrownLogs, type LogsToRead } from '../append/changed-logs.js';
import { BrokenLogs } from './broken-logs.js';
import { Checkpoints } from './checkpoints.js';

const unsigned = (condition: string) =>
  `SELECT h.org FROM head h LEFT JOIN checkpoint c USING (org)
   WHERE h.seq <> coalesce(c.size, 0) AND ${condition} AND ${isNotFenced('h.org')} ORDER BY h.org`;
const selectUnsigned = statement('checkpoint_unsigned', unsigned('true'));
export const selectUnsignedOf = statement('checkpoint_unsigned_of', unsigned('h.org = ANY ($1)'));
const selectAll = statement(
  'checkpoint_all',
  `SELECT org FROM (SELECT org FROM head UNION SELECT org FROM checkpoint) l
   WHERE ${isNotFenced('l.org')} ORDER BY org`,
);

const intervalMs = 1000;
/** Logs that could not be signed are tried again in this time. */
const retryIntervalMs = 5000;
/** A log that does not grow gets no new checkpoint, but may have been changed. */
const fullCheckIntervalMs = 3_600_000;

/** Further ones are not begun when the process stops. */
const logsAtATime = 2000;

/**
 * Signs a checkpoint of each log that has grown, about once a second: each replica those to which it has appended, and
 * twice a minute those that another one has left. At start and each hour it checks whether the other logs still
 * continue their checkpoints.
 */
@Injectable()
export class CheckpointPublisher {
  private readonly logger = new Logger('publisher');
  private readonly logsToRead: LogsToRead;
  /** Not signed at the last attempt, or not tried, because signing failed for another one. */
  private readonly unfinished = new Set<string>();
  private nextRetryAt = 0;
  private nextFullCheckAt = 0;

  constructor(
    private readonly database: Database,
    private readonly checkpoints: Checkpoints,
    private readonly brokenLogs: BrokenLogs,
    grownLogs: GrownLogs,
  ) {
    this.logsToRead = grownLogs.consumer();
  }

  @Interval({ name: 'checkpoints', intervalMs, failure: 'Failed to sign checkpoints' })
  async publish(stopping: () => boolean): Promise<void> {
    const now = performance.now();
    // Broken logs are tried each time, so that a repaired one is signed again.
    const due = await this.logsToRead.take((grown) => this.dueLogs(grown, now));
    const orgs = new Set([...due, ...this.brokenLogs.orgs]);
    if (now >= this.nextFullCheckAt) {
      for (const org of await this.orgs(selectAll)) orgs.add(org);
      this.nextFullCheckAt = now + fullCheckIntervalMs;
    }
    for (const org of orgs) this.unfinished.add(org);
    const all = [...orgs];
    while (all.length > 0 && !stopping()) await Promise.all(all.splice(0, logsAtATime).map((org) => this.sign(org)));
  }

  /** Logs to sign: those that have grown, and those of earlier attempts; without `grown` all that are not signed. */
  private async dueLogs(grown: readonly string[] | undefined, now: number): Promise<readonly string[]> {
    if (grown && now < this.nextRetryAt) return grown;
    const unsigned = grown
      ? await this.orgs(selectUnsignedOf, [[...this.unfinished]])
      : await this.orgs(selectUnsigned);
    this.nextRetryAt = now + retryIntervalMs;
    this.unfinished.clear();
    this.brokenLogs.updateUnsigned(unsigned);
    return [...unsigned, ...(grown ?? [])];
  }

  private async orgs(query: typeof selectAll, values: unknown[] = []): Promise<string[]> {
    return (await this.database.rows<{ org: string }>(query, values)).map(({ org }) => org);
  }

  private async sign(org: string): Promise<void> {
    try {
      await this.checkpoints.newest(org);
      this.unfinished.delete(org);
    } catch (error) {
      // Broken logs and an unwritable folder are logged where they are found (AppError). They must not keep other
      // logs from being signed.
      if (isDatabaseUnavailable(error)) throw error;
      if (!(error instanceof AppError))
        this.logger.error(`Failed to sign a checkpoint of ${org}; retrying within 5 s: ${String(error)}`);
    }
  }
}
