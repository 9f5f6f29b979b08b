import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Database, statement } from '@holdfast/data';
import { CLOCK, mayExpire, type Clock } from '@holdfast/platform';
import { repeat, Shutdown } from '@holdfast/service';
import { storedFor } from './idempotency.js';

const batchSize = 1000;
const clear = statement(
  'idempotency_clear',
  `DELETE FROM idempotency WHERE (app, key_hash) IN (
     SELECT app, key_hash FROM idempotency WHERE created_at <= $1::timestamptz - interval '${storedFor}' LIMIT ${batchSize} FOR UPDATE SKIP LOCKED) RETURNING 1`,
);

/** Removes answers that have been kept for their time. */
@Injectable()
export class ClearStoredResponses implements OnModuleInit {
  private readonly logger = new Logger('idempotency');

  constructor(
    private readonly database: Database,
    private readonly shutdown: Shutdown,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const permitted = () => mayExpire(this.clock);
    repeat(this.shutdown, {
      every: 600_000,
      permitted,
      work: () => this.clear(),
      failed: (error) => this.logger.warn(`could not clear old answers: ${String(error)}`),
    });
  }

  private async clear(): Promise<void> {
    while ((await this.database.rows(clear, [this.clock.now()])).length === batchSize);
  }
}
