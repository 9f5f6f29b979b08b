import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { CLOCK, mayExpire, type Clock } from '@holdfast/platform';
import { repeat, Shutdown } from '@holdfast/service';
import { Endings } from './session-revocations.js';
import { StateStore } from './state-store.js';

const every = 60_000;

/** Removes what has expired. Nothing depends on it: what has expired is refused by its own time. */
@Injectable()
export class StateSweeper implements OnApplicationBootstrap {
  private readonly logger = new Logger('sweeper');

  constructor(
    private readonly store: StateStore,
    private readonly endings: Endings,
    private readonly shutdown: Shutdown,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    const permitted = () => mayExpire(this.clock);
    repeat(this.shutdown, {
      every,
      permitted,
      work: () => this.sweep(),
      failed: (error) => this.logger.warn(`could not sweep: ${String(error)}`),
    });
  }

  async sweep(): Promise<void> {
    const now = this.clock.now();
    while ((await this.store.sweep(now)) === 1000);
    await this.endings.forgetOld(now);
  }
}
