import { repeat, Shutdown } from '@holdfast/bus';
import { Database, statement } from '@holdfast/data';
import { CLOCK, mayExpire, type Clock } from '@holdfast/kit';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { keptFor } from './idempotency.js';

const clear = statement('idempotency_clear', `DELETE FROM idempotency WHERE created_at <= $1::timestamptz - interval '${keptFor}'`);

/** Removes answers that have been kept for their time. */
@Injectable()
export class ClearAnswers implements OnModuleInit {
  private readonly logger = new Logger('idempotency');

  constructor(
    private readonly database: Database,
    private readonly shutdown: Shutdown,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const permitted = () => mayExpire(this.clock);
    const work = () => this.database.rows(clear, [this.clock.now()]);
    repeat(this.shutdown, { every: 600_000, permitted, work, failed: (error) => this.logger.warn(`could not clear old answers: ${String(error)}`) });
  }
}
