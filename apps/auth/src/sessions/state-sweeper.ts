import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { CLOCK, mayExpire, type Clock } from '@holdfast/platform';
import { repeat, Shutdown } from '@holdfast/service';
import { SessionRevocations } from './session-revocations.js';
import { StateStore } from './state-store.js';

const intervalMs = 60_000;

/** Deletes expired state. No guarantee depends on it: expired state is refused by its expiration. */
@Injectable()
export class StateSweeper implements OnApplicationBootstrap {
  private readonly logger = new Logger('sweeper');

  constructor(
    private readonly store: StateStore,
    private readonly revocations: SessionRevocations,
    private readonly shutdown: Shutdown,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    const permitted = () => mayExpire(this.clock);
    repeat(this.shutdown, {
      every: intervalMs,
      permitted,
      work: () => this.sweep(),
      failed: (error) =>
        this.logger.warn(`Could not delete expired state; the next attempt is in a minute: ${String(error)}`),
    });
  }

  async sweep(): Promise<void> {
    const now = this.clock.now();
    while ((await this.store.sweep(now)) === 1000);
    await this.revocations.deleteOld(now);
  }
}
