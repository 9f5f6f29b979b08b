import { setTimeout as sleep } from 'node:timers/promises';
import type { PublicEvent } from '@holdfast/contracts';
import type { Client, Page } from '../clients/client.ts';

/** Reads the event feed from its beginning and continues from the last page token, as docs/events.md describes. */
export class FeedReader {
  /** By id, in the order in which they were read first. */
  readonly seen = new Map<string, PublicEvent>();
  readonly #client: Client;
  #pageToken: string | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  /** All events after those that were read before. */
  async read(): Promise<PublicEvent[]> {
    const read: PublicEvent[] = [];
    for (;;) {
      const query = new URLSearchParams({ limit: '200', ...(this.#pageToken && { next_page_token: this.#pageToken }) });
      const { status, body, text } = await this.#client.call<Page<PublicEvent>>(
        'GET',
        `${this.#client.api}/admin/events?${query.toString()}`,
      );
      // After a restore of the database (docs/events.md).
      if (status === 410) {
        this.#pageToken = undefined;
        continue;
      }
      if (status !== 200) throw new Error(`the feed returned ${status}: ${text}`);
      read.push(...body.items);
      for (const event of body.items) this.seen.set(event.id, event);
      this.#pageToken = body.nextPageToken!;
      if (!body.hasMore) return read;
    }
  }

  /** Keeps reading, whatever fails meanwhile. */
  async runUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.read().catch(() => this.#client.clearToken());
      await sleep(200);
    }
  }
}
