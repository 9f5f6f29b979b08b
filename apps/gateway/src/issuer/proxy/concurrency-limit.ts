export interface ConcurrencyLimits {
  /** Concurrent work in total, which may change. */
  max: () => number;
  /** Concurrent work of one key; never more than `max`. */
  maxPerKey: number;
  /** Queue length, in total and per key. */
  maxWaiting: number;
  maxWaitingPerKey: number;
  maxWaitMs: number;
}

/**
 * Rejects work over the limits: `key` when the caller has too much of its own, `all` when there is too much in total.
 */
export class NoCapacityError extends Error {
  private constructor(readonly because: 'key' | 'all') {
    super(because === 'key' ? 'One caller has too many concurrent requests' : 'There are too many concurrent requests');
  }

  /** Created once: their stack traces are of no use, and under load creating them would be most of the cost. */
  static readonly of = { key: new NoCapacityError('key'), all: new NoCapacityError('all') } as const;
}

interface Waiting {
  key: string;
  begin: () => void;
  refuse: (because: 'key' | 'all') => void;
}

/**
 * Limits concurrent work, in total and per key, so that no key can take all of it: queued work of other keys overtakes
 * that of a key at its limit. The queue is short, in length and time, so that a backlog never grows to seconds.
 */
export class ConcurrencyLimit {
  private readonly running = new Map<string, number>();
  private readonly waitingOf = new Map<string, number>();
  private total = 0;
  private waiting: Waiting[] = [];

  constructor(private readonly limits: ConcurrencyLimits) {}

  get inFlight(): number {
    return this.total;
  }

  /** @throws NoCapacityError */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (!this.mayRun(key)) await this.wait(key);
    else this.enter(key);
    try {
      return await work();
    } finally {
      this.leave(key);
    }
  }

  private mayRun(key: string): boolean {
    return this.total < this.limits.max() && countOf(this.running, key) < this.limits.maxPerKey;
  }

  private wait(key: string): Promise<void> {
    const { maxWaiting, maxWaitingPerKey, maxWaitMs } = this.limits;
    if (countOf(this.waitingOf, key) >= maxWaitingPerKey) return Promise.reject(NoCapacityError.of.key);
    if (this.waiting.length >= maxWaiting) return Promise.reject(NoCapacityError.of.all);
    add(this.waitingOf, key, 1);
    return new Promise((resolve, reject) => {
      const done = (settle: () => void): void => {
        clearTimeout(timer);
        this.waiting = this.waiting.filter((w) => w !== waiting);
        add(this.waitingOf, key, -1);
        settle();
      };
      const waiting: Waiting = {
        key,
        begin: () => done(resolve),
        refuse: (because) => done(() => reject(NoCapacityError.of[because])),
      };
      const timer = setTimeout(() => waiting.refuse(this.total < this.limits.max() ? 'key' : 'all'), maxWaitMs).unref();
      this.waiting.push(waiting);
    });
  }

  private enter(key: string): void {
    this.total += 1;
    add(this.running, key, 1);
  }

  private leave(key: string): void {
    this.total -= 1;
    add(this.running, key, -1);
    const next = this.waiting.find((w) => this.mayRun(w.key));
    if (!next) return;
    // Count it now and not when its promise resolves: other work could start in between and exceed the limit.
    this.enter(next.key);
    next.begin();
  }
}

function countOf(counts: Map<string, number>, key: string): number {
  return counts.get(key) ?? 0;
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = countOf(counts, key) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
