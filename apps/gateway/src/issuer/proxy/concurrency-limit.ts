export interface ConcurrencyLimits {
  /** Concurrent work in total, which may change. */
  max: () => number;
  /** Concurrent work of one key; never more than `max`. */
  maxPerKey: number;
  /** Queue length, in total and per key. */
  maxWaiting: number;
  maxWaitingPerKey: number;
  maxWaitMs: number;
  /** While the first in a queue has waited longer than this, the queue takes no further work. */
  maxQueueAgeMs: number;
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
  enqueuedAt: number;
  begin: () => void;
  refuse: (because: 'key' | 'all') => void;
}

/**
 * Limits concurrent work, in total and per key, so that no key can take all of it: queued work of other keys overtakes
 * that of a key at its limit. Queues are for bursts: one whose first work has waited for `maxQueueAgeMs` takes no more,
 * since a further one would wait as long. So a lasting overload is rejected on arrival, however fast or slow the
 * work is, and hardly anything waits in vain.
 */
export class ConcurrencyLimit {
  private readonly running = new Map<string, number>();
  /** In order of arrival. */
  private readonly queues = new Map<string, Set<Waiting>>();
  private readonly waiting = new Set<Waiting>();
  private total = 0;

  constructor(
    private readonly limits: ConcurrencyLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get inFlight(): number {
    return this.total;
  }

  /** Why `run` would reject work of this key at once; undefined when it would not. */
  reached(key: string): 'key' | 'all' | undefined {
    if (this.mayRun(key)) return undefined;
    const { maxWaiting, maxWaitingPerKey } = this.limits;
    const isFull = (queue: Set<Waiting> | undefined, max: number): boolean =>
      queue !== undefined && (queue.size >= max || this.isOld(queue));
    if (isFull(this.queues.get(key), maxWaitingPerKey)) return 'key';
    // Old work of another key at its own limit says nothing about how long this key would wait.
    const isLimitOfAll = this.total >= this.limits.max();
    return this.waiting.size >= maxWaiting || (isLimitOfAll && this.isOld(this.waiting)) ? 'all' : undefined;
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

  private isOld(queue: Set<Waiting>): boolean {
    const [first] = queue;
    return first !== undefined && this.now() - first.enqueuedAt > this.limits.maxQueueAgeMs;
  }

  private wait(key: string): Promise<void> {
    const because = this.reached(key);
    if (because) return Promise.reject(NoCapacityError.of[because]);
    let queue = this.queues.get(key);
    if (!queue) this.queues.set(key, (queue = new Set()));
    return new Promise((resolve, reject) => {
      const done = (settle: () => void): void => {
        clearTimeout(timer);
        this.waiting.delete(waiting);
        queue.delete(waiting);
        if (queue.size === 0) this.queues.delete(key);
        settle();
      };
      const waiting: Waiting = {
        key,
        enqueuedAt: this.now(),
        begin: () => done(resolve),
        refuse: (because) => done(() => reject(NoCapacityError.of[because])),
      };
      const refuse = (): void => waiting.refuse(this.total < this.limits.max() ? 'key' : 'all');
      const timer = setTimeout(refuse, this.limits.maxWaitMs).unref();
      this.waiting.add(waiting);
      queue.add(waiting);
    });
  }

  private enter(key: string): void {
    this.total += 1;
    add(this.running, key, 1);
  }

  private leave(key: string): void {
    this.total -= 1;
    add(this.running, key, -1);
    for (const next of this.waiting) {
      if (!this.mayRun(next.key)) continue;
      // Count it now and not when its promise resolves: other work could start in between and exceed the limit.
      this.enter(next.key);
      return next.begin();
    }
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
