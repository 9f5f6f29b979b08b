import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { organizationProfile, shortId as shortIdSchema, type ReplyOf } from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';

/** Below a second, so that a suspended organization is refused within one (product §4). */
const goodFor = 900;

/** What the public may see of organizations. Only those that exist are kept, so that made-up ones fill nothing. */
@Injectable()
export class OrganizationProfiles {
  private readonly known = new LRUCache<string, ReplyOf<typeof organizationProfile>>({ max: 10_000, ttl: goodFor });

  constructor(private readonly bus: Bus) {}

  /** Undefined for an organization that does not exist or is suspended. */
  async find(shortId: string): Promise<ReplyOf<typeof organizationProfile> | undefined> {
    const kept = this.known.get(shortId);
    if (kept || !shortIdSchema.safeParse(shortId).success) return kept;
    try {
      const profile = await this.bus.request(organizationProfile, { shortId }, systemContext('gateway'));
      this.known.set(shortId, profile);
      return profile;
    } catch (error) {
      if (error instanceof AppError && error.code === 'unknown_organization') return undefined;
      throw error;
    }
  }
}
