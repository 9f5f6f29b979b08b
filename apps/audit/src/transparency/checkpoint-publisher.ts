import { Injectable, Logger } from '@nestjs/common';
import { Database, isDatabaseUnavailable, isNotFenced, statement } from '@holdfast/data';
import { AppError } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { GrownLogs } from '../append/grown-logs.js';
import { BrokenLogs } from './broken-logs.js';
import { Checkpoints } from './checkpoints.js';

const selectUnsigned = statement(
  'checkpoint_unsigned',
  `SELECT h.org FROM head h LEFT JOIN checkpoint c USING (org)
   WHERE h.seq <> coalesce(c.size, 0) AND ${isNotFenced('h.org')} ORDER BY h.org`,
);
const selectAll = statement(
  'checkpoint_all',
  `SELECT org FROM (SELECT org FROM head UNION SELECT org FROM checkpoint) l
   WHERE ${isNotFenced('l.org')} ORDER BY org`,
);

const intervalMs = 1000;
/** Finds logs that no replica knows to have grown: one was killed, or failed to sign. The query reads every log. */
const searchIntervalMs = 5000;
/** A log that does not grow gets no new checkpoint, but may have been changed. */
const fullCheckIntervalMs = 3_600_000;

/** Further ones are not begun when the process stops. */
const logsAtATime = 2000;

/**
 * Signs a checkpoint of each log that has grown, about once a second: each replica those to which it has appended. At
 * start and each hour it checks whether the other logs still continue their checkpoints.
 */
@Injectable()
export class CheckpointPublisher {
  private readonly logger = new Logger('publisher');
  private nextSearchAt = 0;
  private nextFullCheckAt = 0;

  constructor(
    private readonly database: Database,
    private readonly checkpoints: Checkpoints,
    private readonly brokenLogs: BrokenLogs,
    private readonly grownLogs: GrownLogs,
  ) {}

  @Interval({ name: 'checkpoints', intervalMs, failure: 'Failed to sign checkpoints' })
  async publish(stopping: () => boolean): Promise<void> {
    const now = performance.now();
    // Broken logs are tried each time, so that a repaired one is signed again.
    const orgs = new Set([...this.grownLogs.take(), ...this.brokenLogs.orgs]);
    if (now >= this.nextSearchAt) {
      const unsigned = await this.orgs(selectUnsigned);
      this.nextSearchAt = now + searchIntervalMs;
      this.brokenLogs.updateUnsigned(unsigned);
      for (const org of unsigned) orgs.add(org);
    }
    if (now >= this.nextFullCheckAt) {
      for (const org of await this.orgs(selectAll)) orgs.add(org);
      this.nextFullCheckAt = now + fullCheckIntervalMs;
    }
    const all = [...orgs];
    while (all.length > 0 && !stopping()) await Promise.all(all.splice(0, logsAtATime).map((org) => this.sign(org)));
  }

  private async orgs(query: typeof selectAll): Promise<string[]> {
    return (await this.database.rows<{ org: string }>(query)).map(({ org }) => org);
  }

  private async sign(org: string): Promise<void> {
    await this.checkpoints.newest(org).catch((error: unknown) => {
      // Broken logs and an unwritable folder are logged where they are found (AppError). They must not keep other
      // logs from being signed.
      if (isDatabaseUnavailable(error)) throw error;
      if (!(error instanceof AppError))
        this.logger.error(`Failed to sign a checkpoint of ${org}; retrying within 5 s: ${String(error)}`);
    });
  }
}
