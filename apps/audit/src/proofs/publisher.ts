import { repeat, Shutdown } from '@holdfast/bus';
import { Database, isDatabaseAway, statement } from '@holdfast/data';
import { AppError } from '@holdfast/kit';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Checkpoints } from './checkpoints.js';

const grown = statement('checkpoint_grown', 'SELECT h.org FROM head h LEFT JOIN checkpoint c USING (org) WHERE h.seq <> coalesce(c.size, 0) ORDER BY h.org');

const every = 1000;
/** Logs whose checkpoints are written at the same time: most of it is waiting for the disk. */
const lanes = 4;

/** Signs and keeps a checkpoint of each log that has grown, about once a second. Replicas take turns by the row of each log. */
@Injectable()
export class Publisher implements OnApplicationBootstrap {
  private readonly logger = new Logger('publisher');

  constructor(
    private readonly database: Database,
    private readonly checkpoints: Checkpoints,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    repeat(this.shutdown, { every, work: (stopping) => this.publish(stopping), failed: (error) => this.logger.warn(`checkpoints must wait: ${String(error)}`) });
  }

  private async publish(stopping: () => boolean): Promise<void> {
    const logs = (await this.database.rows<{ org: string }>(grown)).map((row) => row.org);
    await Promise.all(Array.from({ length: lanes }, () => this.work(logs, stopping)));
  }

  private async work(logs: string[], stopping: () => boolean): Promise<void> {
    for (let org = logs.shift(); org !== undefined && !stopping(); org = logs.shift()) {
      await this.checkpoints.newest(org).catch((error: unknown) => {
        // A log that is broken and a folder that cannot be written have been spoken of; neither must keep the others from being signed.
        if (isDatabaseAway(error)) throw error;
        if (!(error instanceof AppError)) this.logger.error(`the checkpoint of ${org} must wait: ${String(error)}`);
      });
    }
  }
}
