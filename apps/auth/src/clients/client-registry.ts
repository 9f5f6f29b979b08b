import { Injectable } from '@nestjs/common';
import { RevocationFeed } from '@holdfast/access';
import { clientIdPattern, getClient } from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { toClientRecord, type ClientRecord } from './client-record.js';
import { RevocableCache } from './revocable-cache.js';

/** Clients from directory. A change of an organization concerns all of its apps. */
@Injectable()
export class ClientRegistry {
  private readonly known: RevocableCache<ClientRecord>;

  constructor(
    private readonly bus: Bus,
    feed: RevocationFeed,
  ) {
    this.known = new RevocableCache(
      feed,
      'app',
      (clientId) => this.ask(clientId),
      ({ app }, org) => app.org === org,
    );
  }

  /** @throws AppError `unavailable` when directory has to be asked and does not answer */
  async find(clientId: string): Promise<ClientRecord | undefined> {
    // Anything else is not worth a question.
    return clientIdPattern.test(clientId) ? this.known.find(clientId) : undefined;
  }

  private async ask(clientId: string): Promise<ClientRecord | undefined> {
    try {
      return toClientRecord(await this.bus.request(getClient, { clientId }, systemContext('auth')));
    } catch (error) {
      if (error instanceof AppError && error.code === 'unknown_app') return undefined;
      throw error;
    }
  }
}
