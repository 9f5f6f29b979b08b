import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  organizationProfile,
  shortId as shortIdSchema,
  type ReplyOf,
  type ShownOrganization,
} from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';
import { AppError, ConfigurationCache } from '@holdfast/platform';
import { OrganizationsOfErrorPages } from '../edge/problems/organizations-of-error-pages.js';

/** About a kilobyte each. */
const maxLastKnown = 10_000;

type Profile = ReplyOf<typeof organizationProfile>;

/** What pages show of an organization. */
export function shownOrganizationOf({ shortId: _, relyingParty: __, ...shown }: Profile): ShownOrganization {
  return shown;
}

/** Public profiles of organizations. Unknown ids are not cached, so that random ids cannot flood the cache. */
@Injectable()
export class OrganizationProfiles extends OrganizationsOfErrorPages {
  private readonly profiles = new ConfigurationCache<Profile>();
  /** As it was when it was last needed, for pages that say that something does not work. */
  private readonly lastKnown = new LRUCache<string, Profile>({ max: maxLastKnown });

  constructor(private readonly bus: Bus) {
    super();
  }

  /** @returns undefined for an organization that does not exist or is suspended */
  async find(shortId: string): Promise<Profile | undefined> {
    const cached = this.profiles.get(shortId);
    if (cached || !shortIdSchema.safeParse(shortId).success) return cached;
    try {
      const profile = await this.bus.request(organizationProfile, { shortId }, systemContext('gateway'));
      this.profiles.set(shortId, profile);
      this.lastKnown.set(shortId, profile);
      return profile;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unknown_organization') throw error;
      this.lastKnown.delete(shortId);
      return undefined;
    }
  }

  async forErrorPage(shortId: string, mayRequest: boolean): Promise<Profile | undefined> {
    return mayRequest ? this.find(shortId).catch(() => this.lastKnown.get(shortId)) : this.lastKnown.get(shortId);
  }
}
