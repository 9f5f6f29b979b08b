import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { removeExpiredLinks } from './passkey-links.repository.js';

/** Deletes links that ended an hour ago, with the passkeys that nobody has confirmed. */
@Injectable()
export class ClearPasskeyLinks {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'clear_passkey_links',
    intervalMs: 60_000,
    requiresAgreedClock: true,
    failure: 'Failed to delete ended passkey links',
  })
  async clear(): Promise<void> {
    await removeExpiredLinks(this.database, this.clock.now());
  }
}
