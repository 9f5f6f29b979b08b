import { within } from '../time/within.js';

interface BatcherOptions<Item> {
  /** Items of one batch at most. */
  maxItems: number;
  /** Bytes of one batch at most, unless it is a single item. */
  maxBytes?: number;
  bytesOf?: (item: Item) => number;
  /**
   * Batches in flight at once. Items that arrive meanwhile share the next batch, since each costs a transaction or a
   * message: so a further one goes only beside one without a result for `slowAfterMs`, which may hang. Default: 1.
   */
  maxInFlight?: number;
  slowAfterMs?: number;
  /** The first item does not wait for those of the same turn of the event loop. */
  isFirstSentAtOnce?: boolean;
  /** How long the next batch waits for further items if several shared the last one. Default: not at all. */
  windowMs?: number;
  /** Items that nobody waits for any more are left out of the next batch. */
  isObsolete?: (item: Item) => boolean;
}

/**
 * One queue in front of something that is cheaper for many items at once than for each: items of the same turn of the
 * event loop share a batch, and so do those that arrive while one is written.
 */
export class Batcher<Item> {
  private queue: Item[] = [];
  private readonly inFlight = new Set<Promise<void>>();
  private isRunning = false;
  private wasShared = false;

  /** @param write settles its items itself and never rejects */
  constructor(
    private readonly write: (batch: Item[]) => Promise<void>,
    private readonly options: BatcherOptions<Item>,
  ) {}

  /** Number of items that are in no batch yet. */
  get waiting(): number {
    return this.queue.length;
  }

  add(item: Item): void {
    this.queue.push(item);
    if (!this.isRunning) void this.run();
  }

  private async run(): Promise<void> {
    const { maxItems, windowMs, isObsolete, isFirstSentAtOnce } = this.options;
    this.isRunning = true;
    if (!isFirstSentAtOnce) await new Promise((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) {
      if (windowMs !== undefined && this.wasShared && this.queue.length < maxItems)
        await new Promise((resolve) => setTimeout(resolve, windowMs));
      if (isObsolete?.(this.queue[0]!)) this.queue = this.queue.filter((item) => !isObsolete(item));
      const batch = this.queue.splice(0, this.firstBatchSize());
      this.wasShared = batch.length > 1;
      if (batch.length > 0) await this.send(batch);
    }
    this.isRunning = false;
  }

  /** How many items the next batch has: at least one. */
  private firstBatchSize(): number {
    const { maxItems, maxBytes = Infinity, bytesOf = () => 0 } = this.options;
    let bytes = 0;
    const end = this.queue.findIndex((item, i) => i >= maxItems || ((bytes += bytesOf(item)) > maxBytes && i > 0));
    return end < 0 ? this.queue.length : end;
  }

  /** Resolves when the next batch may go. */
  private async send(batch: Item[]): Promise<void> {
    const { maxInFlight = 1, slowAfterMs } = this.options;
    const written = this.write(batch).finally(() => this.inFlight.delete(written));
    this.inFlight.add(written);
    if (slowAfterMs !== undefined) await within(slowAfterMs, written).catch(() => undefined);
    if (this.inFlight.size >= maxInFlight) await Promise.race(this.inFlight);
  }
}

/**
 * Divides a batch that was rejected in two, to find the item that is to blame: between groups, such as organizations,
 * as long as there are several, since all items of a group may have the same fault.
 *
 * @returns the batch alone when it cannot be divided
 */
export function halvesOf<Item>(batch: readonly Item[], groupOf?: (item: Item) => string): Item[][] {
  const groups = groupOf ? [...Map.groupBy(batch, groupOf).values()] : [];
  const parts = groups.length > 1 ? groups : batch.map((item) => [item]);
  if (parts.length < 2) return [[...batch]];
  const middle = parts.length >> 1;
  return [parts.slice(0, middle).flat(), parts.slice(middle).flat()];
}
