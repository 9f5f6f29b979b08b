import { Inject, Injectable } from '@nestjs/common';
import { RevocationFeed } from '@holdfast/access';
import { clientIdPattern, getClient } from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import { toClientRecord, type ClientRecord } from './client-record.js';
import { withHubSettings } from './hub-client.js';
import { RevocableCache } from './revocable-cache.js';

/** Clients from directory, cached. A change of an organization invalidates all of its apps. */
@Injectable()
export class ClientRegistry {
  private readonly cache: RevocableCache<ClientRecord>;

  constructor(
    private readonly bus: Bus,
    feed: RevocationFeed,
    @Inject(CONFIG) private readonly config: Pick<Config, 'BASE_URL'>,
  ) {
    this.cache = new RevocableCache(
      feed,
      'app',
      (clientId) => this.query(clientId),
      ({ app }, org) => app.org === org,
    );
  }

  /** @throws AppError `unavailable` when directory has to be queried and does not reply */
  async find(clientId: string): Promise<ClientRecord | undefined> {
    // No client has an id of another form, so such an id costs no query.
    return clientIdPattern.test(clientId) ? this.cache.find(clientId) : undefined;
  }

  private async query(clientId: string): Promise<ClientRecord | undefined> {
    try {
      const found = await this.bus.request(getClient, { clientId }, systemContext('auth'));
      return withHubSettings(toClientRecord(found), this.config.BASE_URL);
    } catch (error) {
      if (error instanceof AppError && error.code === 'unknown_app') return undefined;
      throw error;
    }
  }
}
