import type { FencedOrganizations } from './fenced-organizations.js';
import { MisdirectedError, MovingError } from './misdirected.js';
import type { OrganizationShards } from './organization-shards.js';

/**
 * The check of a service that belongs to a shard: it handles requests and events of its shard's organizations only. So
 * a wrong URL in the settings of a sender never reads or writes customers in the wrong database.
 */
export class OwnOrganizations {
  constructor(
    readonly shard: string,
    private readonly shards: OrganizationShards,
    private readonly fences?: FencedOrganizations,
  ) {}

  /** @throws MisdirectedError when another shard has one of them; unavailable when that is unknown */
  async require(shortIds: Iterable<string>, what: 'requests' | 'events' = 'requests'): Promise<void> {
    for (const shortId of new Set(shortIds)) {
      if (shortId === '') continue;
      const level = await this.fences?.levelOf(shortId);
      if (level === 'deleted') throw new MisdirectedError(`${shortId} was deleted`);
      if (level === 'everything' || (level === 'requests' && what === 'requests'))
        throw new MovingError(`${shortId} is being moved to another shard, or was. Try again in a moment`);
      const shard = await this.shardOf(shortId);
      if (shard !== this.shard)
        throw new MisdirectedError(
          `${shortId} is on the shard ${shard}, and this service belongs to ${this.shard}. ` +
            'Compare SHARDS of the sender with SHARD of this service',
        );
    }
  }

  /** The events of organizations that have not been deleted: the late ones of a deleted organization change nothing. */
  async ofExisting<Event extends { org: string }>(events: Event[]): Promise<Event[]> {
    const { fences } = this;
    if (!fences) return events;
    const levels = await Promise.all(events.map(({ org }) => fences.levelOf(org)));
    return events.filter((_, i) => levels[i] !== 'deleted');
  }

  /** An organization may have moved here since. That one has moved away is found by its fence. */
  private async shardOf(shortId: string): Promise<string> {
    const known = await this.shards.of(shortId);
    return known === this.shard ? known : this.shards.lookUpAgain(shortId);
  }
}
