import { Injectable, Logger } from '@nestjs/common';
import { Database, isDatabaseUnavailable, isNotFenced, statement } from '@holdfast/data';
import { AppError } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
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
/** A log that does not grow gets no new checkpoint, but may have been changed. */
const fullCheckIntervalMs = 3_600_000;
/** Checkpoints that are signed concurrently: most of the time is spent waiting for the disk. */
const concurrency = 4;

/**
 * Signs a checkpoint of each log that has grown, about once a second. At start and each hour it checks whether the
 * other logs still continue their checkpoints. The row of each log is the lock between replicas.
 */
@Injectable()
export class CheckpointPublisher {
  private readonly logger = new Logger('publisher');
  private nextFullCheckAt = 0;

  constructor(
    private readonly database: Database,
    private readonly checkpoints: Checkpoints,
    private readonly brokenLogs: BrokenLogs,
  ) {}

  @Interval({ name: 'checkpoints', intervalMs, failure: 'Failed to sign checkpoints' })
  async publish(stopping: () => boolean): Promise<void> {
    const isFullCheck = performance.now() >= this.nextFullCheckAt;
    if (isFullCheck) this.nextFullCheckAt = performance.now() + fullCheckIntervalMs;
    const unsigned = await this.orgs(selectUnsigned);
    this.brokenLogs.updateUnsigned(unsigned);
    // Broken logs are tried each time, so that a repaired one is signed again.
    const all = isFullCheck ? await this.orgs(selectAll) : [];
    const orgs = [...new Set([...unsigned, ...this.brokenLogs.orgs, ...all])];
    await Promise.all(Array.from({ length: concurrency }, () => this.signEach(orgs, stopping)));
  }

  private async orgs(query: typeof selectAll): Promise<string[]> {
    return (await this.database.rows<{ org: string }>(query)).map(({ org }) => org);
  }

  private async signEach(orgs: string[], stopping: () => boolean): Promise<void> {
    for (let org = orgs.shift(); org !== undefined && !stopping(); org = orgs.shift()) {
      await this.checkpoints.newest(org).catch((error: unknown) => {
        // Broken logs and an unwritable folder are logged where they are found (AppError). They must not keep other
        // logs from being signed.
        if (isDatabaseUnavailable(error)) throw error;
        if (!(error instanceof AppError))
          this.logger.error(`Failed to sign a checkpoint of ${org}; retrying in 1 s: ${String(error)}`);
      });
    }
  }
}
