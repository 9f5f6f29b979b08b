import { AppError } from '@holdfast/platform';
import type { OrganizationShards } from './organization-shards.js';

/** A request or event of an organization that another shard has. Trying again here does not help. */
export class MisdirectedError extends AppError {
  constructor(detail: string) {
    super('unavailable', detail, { retryAfter: 1, origin: { dependency: 'shard', cause: 'misdirected' } });
  }
}

/**
 * The check of a service that belongs to a shard: it handles requests and events of its shard's organizations only. So
 * a wrong URL in the settings of a sender never reads or writes customers in the wrong database.
 */
export class OwnOrganizations {
  constructor(
    readonly shard: string,
    private readonly shards: OrganizationShards,
  ) {}

  /** @throws MisdirectedError when another shard has one of them; unavailable when that is unknown */
  async require(shortIds: Iterable<string>): Promise<void> {
    for (const shortId of new Set(shortIds)) {
      if (shortId === '') continue;
      const shard = await this.shards.of(shortId);
      if (shard !== this.shard)
        throw new MisdirectedError(
          `${shortId} is on the shard ${shard}, and this service belongs to ${this.shard}. ` +
            'Compare SHARDS of the sender with SHARD of this service',
        );
    }
  }
}
