import { Injectable } from '@nestjs/common';
import { RevocationFeed } from '@holdfast/access';
import { knownOrganizations, organizationProfile, shortId as shortIdForm, type ReplyOf } from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { RevocableCache } from '../clients/revocable-cache.js';

export type OrganizationProfile = ReplyOf<typeof organizationProfile>;

/** Organizations that exist and are not suspended, cached. */
@Injectable()
export class Organizations {
  private readonly cache: RevocableCache<OrganizationProfile>;

  constructor(
    private readonly bus: Bus,
    feed: RevocationFeed,
  ) {
    this.cache = new RevocableCache(feed, 'organization', (shortId) => this.query(shortId));
  }

  /** @throws AppError `unavailable` when directory has to be queried and does not reply */
  async find(shortId: string): Promise<OrganizationProfile | undefined> {
    return shortIdForm.safeParse(shortId).success ? this.cache.find(shortId) : undefined;
  }

  /** Whether an organization that find() does not return exists and is suspended. @throws AppError `unavailable` */
  async isSuspended(shortId: string): Promise<boolean> {
    if (!shortIdForm.safeParse(shortId).success) return false;
    return (
      (await this.bus.request(knownOrganizations, { shortIds: [shortId] }, systemContext('auth'))).known.length > 0
    );
  }

  /** @throws unknown_organization */
  async require(shortId: string): Promise<OrganizationProfile> {
    const profile = await this.find(shortId);
    if (!profile)
      throw new AppError('unknown_organization', `There is no organization "${shortId}", or it is suspended.`);
    return profile;
  }

  private async query(shortId: string): Promise<OrganizationProfile | undefined> {
    try {
      return await this.bus.request(organizationProfile, { shortId }, systemContext('auth'));
    } catch (error) {
      if (error instanceof AppError && error.code === 'unknown_organization') return undefined;
      throw error;
    }
  }
}
