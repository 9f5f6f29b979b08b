import { LRUCache } from 'lru-cache';

interface Bucket {
  tokens: number;
  /** When it was last filled, in ms. */
  filledAt: number;
}

/** What became of one attempt. */
export interface RateLimitResult {
  allowed: boolean;
  /** Requests that would be let through at once. */
  remaining: number;
  /** Until one more is let through, 0 when that is now. */
  retryAfterSeconds: number;
  /** Until the bucket is full again. */
  resetSeconds: number;
}

const windowSeconds = 60;
/**
 * Keys that are remembered; one takes some 200 bytes. The least recently seen goes first, so that no flood of keys
 * fills the memory.
 */
const defaultMaxKeys = 20_000;

/**
 * Requests per key as a token bucket: it holds a minute's worth and fills evenly. In this process alone, without a hop
 * per request: replicas each enforce the whole quota (docs/adr/0015-rate-limits.md).
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

  /** Takes one request of this key, when there is one to be had. */
  take(key: string): RateLimitResult {
    const now = this.now();
    const filled = this.filled(key, now);
    const allowed = filled >= 1;
    const tokens = allowed ? filled - 1 : filled;
    this.buckets.set(key, { tokens, filledAt: now });
    return this.resultOf(allowed, tokens, filled);
  }

  /** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers), and `Retry-After` with a refusal. */
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
