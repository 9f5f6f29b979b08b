export interface ConcurrencyLimits {
  /** Under way at once, of all and of one key. */
  max: number;
  maxPerKey: number;
  /** Waiting for one of those places, of all and of one key. */
  maxWaiting: number;
  maxWaitingPerKey: number;
  maxWaitMs: number;
}

/**
 * Said in place of a turn: `key` when the caller has too many of its own, `all` when there is too much of everything.
 */
export class NoCapacityError extends Error {
  private constructor(readonly because: 'key' | 'all') {
    super(because === 'key' ? 'too many requests of one caller are under way' : 'too many requests are under way');
  }

  /**
   * One of each for the life of the process: their stacks say nothing, and under load they would be most of what a
   * refusal costs.
   */
  static readonly of = { key: new NoCapacityError('key'), all: new NoCapacityError('all') } as const;
}

interface Waiting {
  key: string;
  begin: () => void;
  refuse: (because: 'key' | 'all') => void;
}

/**
 * Bounds what is under way at once. No key can have all of it: the others pass those whose key has its share. What
 * would wait for longer than it is worth is refused at once, so that a backlog never grows into seconds.
 */
export class ConcurrencyLimit {
  private readonly running = new Map<string, number>();
  private readonly waitingOf = new Map<string, number>();
  private total = 0;
  private waiting: Waiting[] = [];

  constructor(private readonly limits: ConcurrencyLimits) {}

  get underWay(): number {
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
    return this.total < this.limits.max && countOf(this.running, key) < this.limits.maxPerKey;
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
      const timer = setTimeout(() => waiting.refuse(this.total < this.limits.max ? 'key' : 'all'), maxWaitMs).unref();
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
    // Its place is taken now, not when it wakes: somebody who comes in between must not take it as well.
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
