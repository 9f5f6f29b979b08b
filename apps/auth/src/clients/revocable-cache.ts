import { LRUCache } from 'lru-cache';
import type { RevocationFeed } from '@holdfast/access';
import type { AccessEntry } from '@holdfast/contracts';

/** Entries kept in memory, at most; one takes about a kilobyte. */
const most = 10_000;

/**
 * What directory said, kept as long as the access feed vouches for it: a change drops what it concerns at once, and
 * while the feed is silent directory is asked each time. What does not exist is not remembered, so that a flood of
 * names fills nothing.
 */
export class VouchedCache<Value extends object> {
  private readonly kept = new LRUCache<string, Value>({ max: most });
  /** Counts changes: what was asked before one and is answered after it is not kept. */
  private changes = 0;

  /** `kind` is what the entries are; `belongs` says which of them another kind of change concerns as well. */
  constructor(
    private readonly feed: RevocationFeed,
    kind: AccessEntry['kind'],
    private readonly ask: (id: string) => Promise<Value | undefined>,
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

  /** @throws AppError `unavailable` when directory has to be asked and does not answer */
  async find(id: string): Promise<Value | undefined> {
    if (!this.feed.fresh) return this.ask(id);
    const known = this.kept.get(id);
    if (known) return known;
    const { changes } = this;
    const value = await this.ask(id);
    if (value && changes === this.changes) this.kept.set(id, value);
    return value;
  }
}
