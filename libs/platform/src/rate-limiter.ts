import { LRUCache } from 'lru-cache';

interface Bucket {
  tokens: number;
  /** When it was last filled. */
  filledAt: number;
}

/** Result of one request. */
export interface RateLimitResult {
  allowed: boolean;
  /** Requests that would be allowed now. */
  remaining: number;
  /** Time until the next request is allowed; 0 if it is allowed now. */
  retryAfterSeconds: number;
  /** Time until the bucket is full again. */
  resetSeconds: number;
}

const windowSeconds = 60;
/**
 * Keys in memory; one takes some 200 bytes. The least recently used key is evicted, so that a flood of keys does not
 * fill the memory.
 */
const defaultMaxKeys = 20_000;

/**
 * Limits requests per key with a token bucket that holds a minute's quota and fills evenly. It counts in this process
 * only: each replica enforces the whole quota (docs/adr/0015-rate-limits.md).
 */
export class RateLimiter {
  private readonly buckets: LRUCache<string, Bucket>;

  constructor(
    readonly name: string,
    readonly perMinute: number,
    { maxKeys = defaultMaxKeys, now = () => performance.now() }: { maxKeys?: number; now?: () => number } = {},
  ) {
    this.buckets = new LRUCache({ max: maxKeys });
    this.now = now;
  }

  private readonly now: () => number;

  /** Counts one request of this key, if it is allowed. */
  take(key: string): RateLimitResult {
    const now = this.now();
    const filled = this.filled(key, now);
    const allowed = filled >= 1;
    const tokens = allowed ? filled - 1 : filled;
    this.buckets.set(key, { tokens, filledAt: now });
    return this.resultOf(allowed, tokens, filled);
  }

  /**
   * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers), and `Retry-After` if the request is
   * denied.
   */
  headersOf({ allowed, remaining, retryAfterSeconds, resetSeconds }: RateLimitResult): Record<string, string> {
    return {
      'ratelimit-policy': `"${this.name}";q=${this.perMinute};w=${windowSeconds}`,
      ratelimit: `"${this.name}";r=${remaining};t=${allowed ? resetSeconds : retryAfterSeconds}`,
      ...(!allowed && { 'retry-after': String(retryAfterSeconds) }),
    };
  }

  private filled(key: string, now: number): number {
    const { tokens, filledAt } = this.buckets.get(key) ?? { tokens: this.perMinute, filledAt: now };
    return Math.min(this.perMinute, tokens + ((now - filledAt) / 1000) * this.perSecond);
  }

  private resultOf(allowed: boolean, tokens: number, filled: number): RateLimitResult {
    const retryAfterSeconds = allowed ? 0 : Math.ceil((1 - filled) / this.perSecond);
    return {
      allowed,
      remaining: Math.floor(tokens),
      retryAfterSeconds,
      resetSeconds: Math.ceil((this.perMinute - tokens) / this.perSecond),
    };
  }

  private get perSecond(): number {
    return this.perMinute / windowSeconds;
  }
}
