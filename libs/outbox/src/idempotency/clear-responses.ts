import { Inject, Injectable } from '@nestjs/common';
import { Database, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { storedFor } from './idempotency.js';

const batchSize = 1000;
const clear = statement(
  'idempotency_clear',
  `DELETE FROM idempotency WHERE (app, key_hash) IN (
     SELECT app, key_hash FROM idempotency WHERE created_at <= $1::timestamptz - interval '${storedFor}'
     LIMIT ${batchSize} FOR UPDATE SKIP LOCKED) RETURNING 1`,
);

/** Removes stored responses after their day. */
@Injectable()
export class ClearStoredResponses {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'idempotency_cleanup',
    intervalMs: 600_000,
    requiresAgreedClock: true,
    failure: 'Failed to remove responses stored for idempotency keys',
  })
  async clear(): Promise<void> {
    while ((await this.database.rows(clear, [this.clock.now()])).length === batchSize);
  }
}
