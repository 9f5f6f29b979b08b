import { Injectable } from '@nestjs/common';
import {
  organizationProfile,
  shortId as shortIdSchema,
  type ReplyOf,
  type ShownOrganization,
} from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';
import { AppError, ConfigurationCache } from '@holdfast/platform';

type Profile = ReplyOf<typeof organizationProfile>;

/** What pages show of an organization. */
export function shownOrganizationOf({ shortId: _, relyingParty: __, ...shown }: Profile): ShownOrganization {
  return shown;
}

/** Public profiles of organizations. Unknown ids are not cached, so that random ids cannot flood the cache. */
@Injectable()
export class OrganizationProfiles {
  private readonly profiles = new ConfigurationCache<Profile>();

  constructor(private readonly bus: Bus) {}

  /** @returns undefined for an organization that does not exist or is suspended */
  async find(shortId: string): Promise<Profile | undefined> {
    const cached = this.profiles.get(shortId);
    if (cached || !shortIdSchema.safeParse(shortId).success) return cached;
    try {
      const profile = await this.bus.request(organizationProfile, { shortId }, systemContext('gateway'));
      this.profiles.set(shortId, profile);
      return profile;
    } catch (error) {
      if (error instanceof AppError && error.code === 'unknown_organization') return undefined;
      throw error;
    }
  }
}
