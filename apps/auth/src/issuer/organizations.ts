import { AccessFeed, Bus, systemContext } from '@holdfast/bus';
import { organizationProfile, shortId as shortIdForm, type ReplyOf } from '@holdfast/contracts';
import { AppError } from '@holdfast/kit';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

export type OrganizationProfile = ReplyOf<typeof organizationProfile>;

const most = 10_000;

/** Organizations that are there and not suspended; kept as ClientRegistry keeps clients: as long as the access feed vouches for them. */
@Injectable()
export class Organizations {
  private readonly cache = new LRUCache<string, OrganizationProfile>({ max: most });
  private changes = 0;

  constructor(
    private readonly bus: Bus,
    private readonly feed: AccessFeed,
  ) {
    feed.onChange((entry) => {
      this.changes += 1;
      if (!entry) this.cache.clear();
      else if (entry.kind === 'organization') this.cache.delete(entry.id);
    });
  }

  /** @throws AppError `unavailable` when directory has to be asked and does not answer */
  async find(shortId: string): Promise<OrganizationProfile | undefined> {
    if (!shortIdForm.safeParse(shortId).success) return undefined;
    if (!this.feed.fresh) return this.ask(shortId);
    const known = this.cache.get(shortId);
    if (known) return known;
    const { changes } = this;
    const profile = await this.ask(shortId);
    if (profile && changes === this.changes) this.cache.set(shortId, profile);
    return profile;
  }

  /** @throws unknown_organization */
  async require(shortId: string): Promise<OrganizationProfile> {
    const profile = await this.find(shortId);
    if (!profile) throw new AppError('unknown_organization', `There is no organization "${shortId}", or it is suspended.`);
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
