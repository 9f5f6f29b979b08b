import type { Schemas } from '@holdfast/api-client';
import { ApiError, UnavailableError } from './errors.js';
import type { Holdfast } from './holdfast-client.js';
import { sleep } from './sender.js';

export type HoldfastEvent = Schemas['Event'];

/** Where a consumer keeps its place in the feed: a row of your database, best in the one that `apply` writes to. */
export interface CursorStore {
  /** @returns undefined before the first event */
  load(): Promise<string | undefined>;
  save(cursor: string): Promise<void>;
}

export interface FollowOptions {
  cursor: CursorStore;
  /**
   * Applies an event. It may come again after your process has ended in between, with the same `id`. When this throws,
   * `followEvents` ends with that error, and the next call begins at this page again.
   */
  apply(event: HoldfastEvent): Promise<void> | void;
  /**
   * The place is older than what the feed keeps, or the operator has restored a backup: read the current state from the
   * API. Afterwards the feed is read from its oldest event.
   */
  readAgain(): Promise<void>;
  /** Only events of these types. */
  types?: readonly HoldfastEvent['type'][];
  /** Between two reads when nothing is left. Default: 5 s. */
  pollIntervalMs?: number;
  /** Ends it after the event in progress. */
  signal?: AbortSignal;
}

/**
 * Applies the events of the organization, one after the other, each at least once and those of one customer in their
 * order, until `signal` ends it. An outage of Holdfast is waited out. One process reads at a time.
 */
export async function followEvents(holdfast: Holdfast, options: FollowOptions): Promise<void> {
  const { cursor, types, pollIntervalMs = 5000, signal } = options;
  let place = await cursor.load();
  while (!signal?.aborted) {
    const page = await next(holdfast, place, types);
    if (page === 'expired') {
      await options.readAgain();
      place = undefined;
      continue;
    }
    for (const event of page?.items ?? []) {
      if (signal?.aborted) return;
      await options.apply(event);
    }
    if (page?.nextPageToken !== undefined && page.nextPageToken !== place)
      await cursor.save((place = page.nextPageToken));
    if (!page?.hasMore) await sleep(pollIntervalMs, signal).catch(() => undefined);
  }
}

/** @returns undefined when Holdfast cannot answer now */
async function next(
  holdfast: Holdfast,
  place: string | undefined,
  types: FollowOptions['types'],
): Promise<Schemas['EventPage'] | 'expired' | undefined> {
  const query = {
    limit: 200,
    ...(place !== undefined && { next_page_token: place }),
    ...(types && { types: types.join(',') }),
  };
  try {
    return await holdfast.listEvents({ query });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'page_token_expired') return 'expired';
    if (error instanceof UnavailableError || (error instanceof ApiError && error.status === 429)) return undefined;
    throw error;
  }
}
