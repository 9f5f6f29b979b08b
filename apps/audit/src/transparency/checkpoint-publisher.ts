import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Database, isDatabaseAway, statement } from '@holdfast/data';
import { AppError } from '@holdfast/platform';
import { repeat, Shutdown } from '@holdfast/service';
import { BrokenLogs } from './broken-logs.js';
import { Checkpoints } from './checkpoints.js';

const grown = statement(
  'checkpoint_grown',
  'SELECT h.org FROM head h LEFT JOIN checkpoint c USING (org) WHERE h.seq <> coalesce(c.size, 0) ORDER BY h.org',
);

const all = statement('checkpoint_all', 'SELECT org FROM head UNION SELECT org FROM checkpoint ORDER BY org');

const every = 1000;
/** A log that does not grow is not signed again, and may be changed all the same. */
const lookAtAllMs = 3_600_000;
/** Logs whose checkpoints are written at the same time: most of it is waiting for the disk. */
const lanes = 4;

/**
 * Signs and keeps a checkpoint of each log that has grown, about once a second, and looks at start and each hour
 * whether the others still continue theirs. Replicas take turns by the row of each log.
 */
@Injectable()
export class Publisher implements OnApplicationBootstrap {
  private readonly logger = new Logger('publisher');
  private lookAtAllAt = 0;

  constructor(
    private readonly database: Database,
    private readonly checkpoints: Checkpoints,
    private readonly broken: BrokenLogs,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    repeat(this.shutdown, {
      every,
      work: (stopping) => this.publish(stopping),
      failed: (error) => this.logger.warn(`checkpoints must wait: ${String(error)}`),
    });
  }

  private async publish(stopping: () => boolean): Promise<void> {
    const whole = performance.now() >= this.lookAtAllAt;
    if (whole) this.lookAtAllAt = performance.now() + lookAtAllMs;
    const unsigned = await this.logs(grown);
    this.broken.unsignedNow(unsigned);
    // One that is mended is said to be so.
    const logs = [...new Set([...unsigned, ...this.broken.orgs, ...(whole ? await this.logs(all) : [])])];
    await Promise.all(Array.from({ length: lanes }, () => this.work(logs, stopping)));
  }

  private async logs(which: typeof grown): Promise<string[]> {
    return (await this.database.rows<{ org: string }>(which)).map(({ org }) => org);
  }

  private async work(logs: string[], stopping: () => boolean): Promise<void> {
    for (let org = logs.shift(); org !== undefined && !stopping(); org = logs.shift()) {
      await this.checkpoints.newest(org).catch((error: unknown) => {
        // A log that is broken and a folder that cannot be written have been spoken of; neither must keep the others
        // from being signed.
        if (isDatabaseAway(error)) throw error;
        if (!(error instanceof AppError)) this.logger.error(`the checkpoint of ${org} must wait: ${String(error)}`);
      });
    }
  }
}
