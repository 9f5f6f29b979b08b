import { Shutdown } from '@holdfast/bus';
import { Database } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/kit';
import { clearChallenges } from '@holdfast/passkeys';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';

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
    const timer = setInterval(() => void this.clear(), 60_000);
    this.shutdown.before(() => clearInterval(timer));
  }

  private async clear(): Promise<void> {
    await clearChallenges(this.database, this.clock.now()).catch((error: unknown) => this.logger.warn(`could not clear old challenges: ${String(error)}`));
  }
}
