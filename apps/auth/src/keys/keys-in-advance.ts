import { Injectable } from '@nestjs/common';
import type { DirectoryEvent } from '@holdfast/contracts';
import { Interval } from '@holdfast/service';
import { issuerOf, SigningKeys } from './signing-keys.js';

/** An import of more organizations at once leaves the others to their first requests. */
const maxWaiting = 10_000;

/**
 * Creates the keys of new organizations before their first request needs them: an RSA key takes 50 ms of CPU time.
 * JetStream delivers each event to one replica, which creates one set of keys at a time. What a replica has not created
 * when it ends, the first request creates.
 */
@Injectable()
export class KeysInAdvance {
  private readonly waiting = new Set<string>();

  constructor(private readonly keys: SigningKeys) {}

  /** Returns at once, so that the other effects of the events do not wait for keys. */
  add(events: readonly DirectoryEvent[]): void {
    for (const { type, org } of events)
      if (type === 'organization.created' && this.waiting.size < maxWaiting) this.waiting.add(org);
  }

  @Interval({
    name: 'signing_keys_in_advance',
    intervalMs: 250,
    failure: 'Failed to create the signing keys of a new organization; its first request creates them',
  })
  async create(stopping: () => boolean): Promise<void> {
    for (const org of this.waiting) {
      if (stopping()) return;
      // The keys that a request has created meanwhile are loaded instead.
      await this.keys.load(issuerOf(org));
      this.waiting.delete(org);
    }
  }
}
