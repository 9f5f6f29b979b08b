/** Counts the rows of one key, up to `limit`. */
export type Count = (key: string, limit: number) => Promise<number>;

interface Known {
  /** When somebody last looked; undefined before the first time. */
  counted: number | undefined;
  /** What was inserted here since then. */
  since: number;
  nextCountAt: number;
  counting: boolean;
}

const minIntervalMs = 1000;
/** Counting takes this share of the time at the most, however many rows there are. */
const maxShare = 0.01;
/**
 * Of what was left at the last count: as long as there are no more replicas than its inverse, all together cannot pass
 * the limit unseen.
 */
const recountAfter = 1 / 20;

/**
 * Knows roughly how many rows a key has, without asking for each insert: a count, and what was inserted here since. It
 * is counted anew the more often the less is left. Nobody waits for a count.
 */
export class RowCounts {
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly count: Count,
    private readonly maxKeys = 20_000,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether one more row is within the limit, as far as it is known. */
  hasRoom(key: string, limit: number): boolean {
    const known = this.of(key);
    const { counted = 0, since } = known;
    const full = counted + since >= limit;
    const isDue = known.counted === undefined || full || since >= Math.max(1, (limit - counted) * recountAfter);
    if (isDue && !known.counting && this.now() >= known.nextCountAt) void this.recount(key, known, limit);
    return !full;
  }

  inserted(key: string): void {
    this.of(key).since += 1;
  }

  private of(key: string): Known {
    const known = this.known.get(key) ?? { counted: undefined, since: 0, nextCountAt: 0, counting: false };
    // The one that was asked for longest ago goes first.
    this.known.delete(key);
    this.known.set(key, known);
    if (this.known.size > this.maxKeys) this.known.delete(this.known.keys().next().value!);
    return known;
  }

  private async recount(key: string, known: Known, limit: number): Promise<void> {
    known.counting = true;
    const [began, before] = [this.now(), known.since];
    try {
      known.counted = await this.count(key, limit);
      known.since -= before;
    } catch {
      // What was known before still stands, and grows with what is inserted here.
    } finally {
      known.counting = false;
      known.nextCountAt = this.now() + Math.max(minIntervalMs, (this.now() - began) / maxShare);
    }
  }
}
