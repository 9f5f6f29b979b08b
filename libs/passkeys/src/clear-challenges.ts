import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { deleteExpiredChallenges } from './challenges.js';

/** Removes challenges of passkey ceremonies that were never completed. */
@Injectable()
export class ClearChallenges {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'passkey_challenges_cleanup',
    intervalMs: 60_000,
    requiresAgreedClock: true,
    failure: 'Failed to remove expired passkey challenges',
  })
  async clear(): Promise<void> {
    await deleteExpiredChallenges(this.database, this.clock.now());
  }
}
