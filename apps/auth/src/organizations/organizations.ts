import { Injectable } from '@nestjs/common';
import { RevocationFeed } from '@holdfast/access';
import { knownOrganizations, organizationProfile, shortId as shortIdForm, type ReplyOf } from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { RevocableCache } from '../clients/revocable-cache.js';

export type OrganizationProfile = ReplyOf<typeof organizationProfile>;

/** Organizations that are there and not suspended. */
@Injectable()
export class Organizations {
  private readonly known: RevocableCache<OrganizationProfile>;

  constructor(
    private readonly bus: Bus,
    feed: RevocationFeed,
  ) {
    this.known = new RevocableCache(feed, 'organization', (shortId) => this.ask(shortId));
  }

  /** @throws AppError `unavailable` when directory has to be asked and does not answer */
  async find(shortId: string): Promise<OrganizationProfile | undefined> {
    return shortIdForm.safeParse(shortId).success ? this.known.find(shortId) : undefined;
  }

  /** Of one that find() does not know: whether it is there, and suspended. @throws AppError `unavailable` */
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

  private async ask(shortId: string): Promise<OrganizationProfile | undefined> {
    try {
      return await this.bus.request(organizationProfile, { shortId }, systemContext('auth'));
    } catch (error) {
      if (error instanceof AppError && error.code === 'unknown_organization') return undefined;
      throw error;
    }
  }
}
