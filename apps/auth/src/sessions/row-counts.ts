/** Counts the rows of one key, up to `limit`. */
export type Count = (key: string, limit: number) => Promise<number>;

interface Estimate {
  /** Rows at the last count; undefined before the first one. */
  counted: number | undefined;
  /** Rows that this replica inserted since the last count. */
  inserted: number;
  nextCountAtMs: number;
  counting: boolean;
}

const minIntervalMs = 1000;
/** Counting takes at most this share of the time, however many rows there are. */
const maxShare = 0.01;
/**
 * Rows are counted again when a replica has inserted this share of the rows that were left. Up to 20 replicas together
 * cannot exceed the limit without a count.
 */
const recountAfter = 1 / 20;

/**
 * Estimates how many rows a key has, without a query per insert: the last count plus the rows inserted here since. The
 * fewer rows are left, the more often they are counted. No insert waits for a count.
 */
export class RowCounts {
  private readonly estimates = new Map<string, Estimate>();

  constructor(
    private readonly count: Count,
    private readonly maxKeys = 20_000,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Whether one more row is within the limit, by the estimate. */
  hasRoom(key: string, limit: number): boolean {
    const estimate = this.estimateOf(key);
    const { counted = 0, inserted } = estimate;
    const isFull = counted + inserted >= limit;
    const isDue = estimate.counted === undefined || isFull || inserted >= Math.max(1, (limit - counted) * recountAfter);
    if (isDue && !estimate.counting && this.nowMs() >= estimate.nextCountAtMs) void this.recount(key, estimate, limit);
    return !isFull;
  }

  inserted(key: string): void {
    this.estimateOf(key).inserted += 1;
  }

  private estimateOf(key: string): Estimate {
    const estimate = this.estimates.get(key) ?? { counted: undefined, inserted: 0, nextCountAtMs: 0, counting: false };
    // Moves the key to the end of the map, so that the least recently used key is evicted first.
    this.estimates.delete(key);
    this.estimates.set(key, estimate);
    if (this.estimates.size > this.maxKeys) this.estimates.delete(this.estimates.keys().next().value!);
    return estimate;
  }

  private async recount(key: string, estimate: Estimate, limit: number): Promise<void> {
    estimate.counting = true;
    const [startedAtMs, insertedBefore] = [this.nowMs(), estimate.inserted];
    try {
      estimate.counted = await this.count(key, limit);
      estimate.inserted -= insertedBefore;
    } catch {
      // The previous estimate remains, and grows with each insert.
    } finally {
      estimate.counting = false;
      estimate.nextCountAtMs = this.nowMs() + Math.max(minIntervalMs, (this.nowMs() - startedAtMs) / maxShare);
    }
  }
}
