import type { Database } from '@holdfast/data';
import { Interval } from '../interval.js';
import type { Readiness } from '../lifecycle.js';
import { KeyUse, keyUseIntervalMs, type RotatedKey } from './key-use.js';

/**
 * Follows the rotations of the keys of a service, and encrypts or hashes again what it has stored. A service declares
 * its keys in a subclass, which is a provider.
 */
export abstract class KeyRotation {
  private readonly uses: Map<string, KeyUse>;

  protected constructor(database: Database, readiness: Readiness, keys: RotatedKey[]) {
    this.uses = new Map(keys.map((key) => [key.name, new KeyUse(database, readiness, key)]));
  }

  /** Whether this replica has the key that was configured last: only such a replica converts what is stored. */
  leads(name: string): boolean {
    return this.uses.get(name)?.leads ?? false;
  }

  /**
   * One key that cannot be followed does not delay the others.
   *
   * @returns how much needs another key than the current ones
   */
  @Interval({
    name: 'key_rotation',
    intervalMs: keyUseIntervalMs,
    runAtStart: true,
    failure: 'Failed to follow the rotation of keys. Both keys stay valid',
  })
  async follow(stopping: () => boolean = () => false): Promise<number> {
    const results = await Promise.allSettled([...this.uses.values()].map((use) => use.run(stopping)));
    const counts = results.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
    return counts.reduce((sum, count) => sum + count, 0);
  }
}
