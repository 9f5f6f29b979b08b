import { AccessFeed, Bus, systemContext } from '@holdfast/bus';
import { getClient } from '@holdfast/contracts';
import { AppError } from '@holdfast/kit';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { toClientRecord, type ClientRecord } from './client-record.js';

/** Clients kept in memory; one takes about a kilobyte. */
const most = 10_000;
/** What directory gives out. Anything else is not worth a question. */
const clientIdForm = /^app_[A-Za-z0-9_-]{22}$/;

/**
 * Clients from directory, kept as long as the access feed vouches for them: a change drops them at once, and while the feed
 * is silent directory is asked each time. An unknown client is not remembered, so that a flood of names fills nothing.
 */
@Injectable()
export class ClientRegistry {
  private readonly cache = new LRUCache<string, ClientRecord>({ max: most });
  /** Counts changes: what was asked before one and is answered after it is not kept. */
  private changes = 0;

  constructor(
    private readonly bus: Bus,
    private readonly feed: AccessFeed,
  ) {
    feed.onChange((entry) => {
      this.changes += 1;
      if (entry?.kind === 'app') this.cache.delete(entry.id);
      else this.drop(entry?.id);
    });
  }

  /** @throws AppError `unavailable` when directory has to be asked and does not answer */
  async find(clientId: string): Promise<ClientRecord | undefined> {
    if (!clientIdForm.test(clientId)) return undefined;
    if (!this.feed.fresh) return this.ask(clientId);
    const known = this.cache.get(clientId);
    if (known) return known;
    const { changes } = this;
    const record = await this.ask(clientId);
    if (record && changes === this.changes) this.cache.set(clientId, record);
    return record;
  }

  private async ask(clientId: string): Promise<ClientRecord | undefined> {
    try {
      return toClientRecord(await this.bus.request(getClient, { clientId }, systemContext('auth')));
    } catch (error) {
      if (error instanceof AppError && error.code === 'unknown_app') return undefined;
      throw error;
    }
  }

  private drop(org: string | undefined): void {
    if (org === undefined) return this.cache.clear();
    for (const [clientId, { app }] of this.cache.entries()) if (app.org === org) this.cache.delete(clientId);
  }
}
