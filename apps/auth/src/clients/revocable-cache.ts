import { LRUCache } from 'lru-cache';
import type { RevocationFeed } from '@holdfast/access';
import type { AccessEntry } from '@holdfast/contracts';

/** An entry takes about a kilobyte. */
const maxEntries = 10_000;

/**
 * Caches replies of directory while the revocation feed is current. A change drops the entries it concerns at once;
 * while the feed is stale, each lookup queries directory (introspection fallback). Unknown ids are not cached, so that
 * random ids cannot flood the cache.
 */
export class RevocableCache<Value extends object> {
  private readonly kept = new LRUCache<string, Value>({ max: maxEntries });
  /** Number of changes so far: a reply to a query from before a change is not cached after it. */
  private changes = 0;

  /** `kind` is the kind of the entries; `belongs` tells which of them a change of another kind concerns as well. */
  constructor(
    private readonly feed: RevocationFeed,
    kind: AccessEntry['kind'],
    private readonly query: (id: string) => Promise<Value | undefined>,
    belongs?: (value: Value, to: string) => boolean,
  ) {
    feed.onChange((entry) => {
      this.changes += 1;
      if (!entry) this.kept.clear();
      else if (entry.kind === kind) this.kept.delete(entry.id);
      else if (belongs)
        for (const [id, value] of this.kept.entries()) if (belongs(value, entry.id)) this.kept.delete(id);
    });
  }

  /** @throws AppError `unavailable` when directory has to be queried and does not reply */
  async find(id: string): Promise<Value | undefined> {
    if (!this.feed.fresh) return this.query(id);
    const known = this.kept.get(id);
    if (known) return known;
    const { changes } = this;
    const value = await this.query(id);
    if (value && changes === this.changes) this.kept.set(id, value);
    return value;
  }
}
