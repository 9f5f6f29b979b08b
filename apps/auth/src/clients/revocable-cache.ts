import { LRUCache } from 'lru-cache';
import type { RevocationFeed } from '@holdfast/access';
import type { AccessEntry } from '@holdfast/contracts';

/** About a kilobyte each. */
const maxEntries = 10_000;

/**
 * Caches replies of directory while the revocation feed is current. A change drops the entries it concerns at once;
 * while the feed is stale, each lookup queries directory (introspection fallback). Unknown ids are not cached, so that
 * random ids cannot flood the cache.
 */
export class RevocableCache<Value extends object> {
  private readonly entries = new LRUCache<string, Value>({ max: maxEntries });
  /** Number of changes so far: a reply to a query from before a change is not cached after it. */
  private changes = 0;

  /** `kind` is the kind of the entries. A change of another kind invalidates those for which `belongs` is true. */
  constructor(
    private readonly feed: RevocationFeed,
    kind: AccessEntry['kind'],
    private readonly query: (id: string) => Promise<Value | undefined>,
    belongs?: (value: Value, to: string) => boolean,
  ) {
    feed.onChange((entry) => {
      this.changes += 1;
      if (!entry) this.entries.clear();
      else if (entry.kind === kind) this.entries.delete(entry.id);
      else if (belongs)
        for (const [id, value] of this.entries.entries()) if (belongs(value, entry.id)) this.entries.delete(id);
    });
  }

  /** @throws AppError `unavailable` when directory has to be queried and does not reply */
  async find(id: string): Promise<Value | undefined> {
    if (!this.feed.fresh) return this.query(id);
    const cached = this.entries.get(id);
    if (cached) return cached;
    const { changes } = this;
    const value = await this.query(id);
    if (value && changes === this.changes) this.entries.set(id, value);
    return value;
  }
}
