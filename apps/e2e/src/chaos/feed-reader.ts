import type { PublicEvent } from '@holdfast/contracts';
import type { Client, Page } from '../client.ts';
import { sleep } from '../parallel.ts';

/** Reads the event feed from beginning to end, and on: what docs/events.md tells integrators to write. */
export class FeedReader {
  /** By id, in the order in which they were read first. */
  readonly seen = new Map<string, PublicEvent>();
  readonly #client: Client;
  #place: string | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  /** What there is after the place where it was. */
  async read(): Promise<PublicEvent[]> {
    const read: PublicEvent[] = [];
    for (;;) {
      const query = new URLSearchParams({ limit: '200', ...(this.#place && { next_page_token: this.#place }) });
      const { status, body, text } = await this.#client.call<Page<PublicEvent>>(
        'GET',
        `${this.#client.api}/admin/events?${query.toString()}`,
      );
      if (status !== 200) throw new Error(`the feed answered ${status}: ${text}`);
      read.push(...body.items);
      for (const event of body.items) this.seen.set(event.id, event);
      this.#place = body.nextPageToken!;
      if (!body.hasMore) return read;
    }
  }

  /** Goes on reading until told that it is over, whatever happens to the stack meanwhile. */
  async follow(over: () => boolean): Promise<void> {
    while (!over()) {
      await this.read().catch(() => this.#client.clearToken());
      await sleep(200);
    }
  }
}
