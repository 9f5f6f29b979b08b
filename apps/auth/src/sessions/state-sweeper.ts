import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { SessionRevocations } from './session-revocations.js';
import { StateStore, sweepBatchSize } from './state-store.js';

/** Deletes expired state. No guarantee depends on it: expired state is refused by its expiration. */
@Injectable()
export class StateSweeper {
  constructor(
    private readonly store: StateStore,
    private readonly revocations: SessionRevocations,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'state_cleanup',
    intervalMs: 60_000,
    requiresAgreedClock: true,
    failure: 'Failed to delete expired state. It is still refused',
  })
  async sweep(): Promise<void> {
    const now = this.clock.now();
    while ((await this.store.sweep(now)) === sweepBatchSize);
    await this.revocations.deleteOld(now);
  }
}
