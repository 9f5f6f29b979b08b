import { LRUCache } from 'lru-cache';
import { mainShard, organizationShards, type RequestContext } from '@holdfast/contracts';
import type { Bus } from '../requests/bus.js';

/** Shards by organization; organizations that do not exist are left out. */
export type LookUpShards = (shortIds: string[]) => Promise<Map<string, string>>;

const maxCached = 100_000;
/** As many as directory accepts in one query. */
const maxLookedUp = 1000;

/**
 * The shard of each organization, as directory decided it. An answer is kept until a service of that shard refuses the
 * organization: it has moved then. One that does not exist may be created on any shard a moment later, so it is looked
 * up each time.
 */
export class OrganizationShards {
  private waiting?: { shortIds: Set<string>; found: Promise<Map<string, string>> };
  private readonly cache = new LRUCache<string, string>({
    max: maxCached,
    fetchMethod: async (shortId) => (await this.lookUpTogether(shortId)).get(shortId),
  });

  constructor(private readonly lookUp: LookUpShards) {}

  /** That of an organization that does not exist is `main`: its services say so. @throws unavailable */
  async of(shortId: string): Promise<string> {
    if (shortId === '') return mainShard;
    return this.cache.get(shortId) ?? (await this.cache.fetch(shortId)) ?? mainShard;
  }

  /** Replaces the kept answer. @throws unavailable */
  async lookUpAgain(shortId: string): Promise<string> {
    return (await this.cache.fetch(shortId, { forceRefresh: true })) ?? mainShard;
  }

  /** Organizations that are asked for at the same moment, such as those of one batch, are looked up with one query. */
  private lookUpTogether(shortId: string): Promise<Map<string, string>> {
    if (!this.waiting || this.waiting.shortIds.size >= maxLookedUp) {
      const shortIds = new Set<string>();
      const found = Promise.resolve().then(() => {
        if (this.waiting?.shortIds === shortIds) delete this.waiting;
        return this.lookUp([...shortIds]);
      });
      this.waiting = { shortIds, found };
    }
    this.waiting.shortIds.add(shortId);
    return this.waiting.found;
  }
}

/** Asks directory, in the process's own context. */
export function lookUpShardsOver(bus: Bus, context: () => RequestContext): LookUpShards {
  return async (shortIds) => {
    const { organizations } = await bus.request(organizationShards, { shortIds }, context());
    return new Map(organizations.map(({ shortId, shard }) => [shortId, shard]));
  };
}
