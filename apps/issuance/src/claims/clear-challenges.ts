import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Database } from '@holdfast/data';
import { clearChallenges } from '@holdfast/passkeys';
import { CLOCK, mayExpire, type Clock } from '@holdfast/platform';
import { repeat, Shutdown } from '@holdfast/service';

/** Removes challenges of ceremonies that nobody ended. */
@Injectable()
export class ClearChallenges implements OnModuleInit {
  private readonly logger = new Logger('challenges');

  constructor(
    private readonly database: Database,
    private readonly shutdown: Shutdown,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const permitted = () => mayExpire(this.clock);
    const work = () => clearChallenges(this.database, this.clock.now());
    repeat(this.shutdown, {
      every: 60_000,
      permitted,
      work,
      failed: (error) => this.logger.warn(`could not clear old challenges: ${String(error)}`),
    });
  }
}
