import { LRUCache } from 'lru-cache';
import { capacityOf, needsTokens, refillPerSecond, tokensToGive } from './token-share.js';

interface Bucket {
  tokens: number;
  /** The quota of its last request here. */
  perMinute: number;
  /** When it was last filled. */
  filledAt: number;
}

/** Result of one request. */
export interface RateLimitResult {
  allowed: boolean;
  /** Quota of the caller, in requests a minute. */
  perMinute: number;
  /** Requests that would be allowed now, at all replicas together if the others have as many tokens as this one. */
  remaining: number;
  /** Time until the next request is allowed; 0 if it is allowed now. */
  retryAfterSeconds: number;
  /** Time until the bucket is full again. */
  resetSeconds: number;
}

/** A bucket of this replica that runs short. */
export interface ShortBucket {
  key: string;
  perMinute: number;
  tokens: number;
}

export interface RateLimiterOptions {
  maxKeys?: number;
  now?: () => number;
  /** How many replicas divide the quota; this one only, unless they exchange tokens (libs/access). */
  replicas?: () => number;
}

const windowSeconds = 60;
/**
 * Keys in memory; one takes some 200 bytes. The least recently used key is evicted, so that a flood of keys does not
 * fill the memory.
 */
const defaultMaxKeys = 20_000;
/** Short buckets between two exchanges; others wait for the next one, or stay within this replica's share. */
const maxShortKeys = 64;

/**
 * Limits requests per key with a token bucket that holds a minute's quota and fills evenly. With several replicas each
 * has its share of it (token-share.ts). A request is decided from memory alone.
 */
export class RateLimiter {
  private readonly buckets: LRUCache<string, Bucket>;
  private readonly short = new Map<string, number>();
  private readonly now: () => number;
  private readonly replicas: () => number;

  constructor(
    readonly name: string,
    readonly perMinute: number,
    { maxKeys = defaultMaxKeys, now = () => performance.now(), replicas = () => 1 }: RateLimiterOptions = {},
  ) {
    this.buckets = new LRUCache({ max: maxKeys });
    this.now = now;
    this.replicas = replicas;
  }

  /** Counts one request of this key, if it is allowed. `perMinute` is the key's quota where it has one of its own. */
  take(key: string, perMinute = this.perMinute): RateLimitResult {
    const replicas = this.replicas();
    const filled = this.fill(key, perMinute, replicas);
    const allowed = filled.tokens >= 1;
    if (allowed) filled.tokens -= 1;
    if (needsTokens(filled.tokens, perMinute, replicas) && this.short.size < maxShortKeys)
      this.short.set(key, perMinute);
    return resultOf(allowed, filled.tokens, perMinute, replicas);
  }

  /**
   * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers), and `Retry-After` if the request is
   * denied.
   */
  headersOf(result: RateLimitResult): Record<string, string> {
    const { allowed, perMinute, remaining, retryAfterSeconds, resetSeconds } = result;
    return {
      'ratelimit-policy': `"${this.name}";q=${perMinute};w=${windowSeconds}`,
      ratelimit: `"${this.name}";r=${remaining};t=${allowed ? resetSeconds : retryAfterSeconds}`,
      ...(!allowed && { 'retry-after': String(retryAfterSeconds) }),
    };
  }

  /** The buckets that ran short since the last call. */
  takeShortBuckets(): ShortBucket[] {
    const short = [...this.short].map(([key, perMinute]) => {
      const { tokens } = this.fill(key, perMinute, this.replicas());
      return { key, perMinute, tokens };
    });
    this.short.clear();
    return short;
  }

  /** Takes the tokens out of this replica's bucket that another one gets. */
  give({ key, perMinute, tokens: theirs }: ShortBucket): number {
    const replicas = this.replicas();
    // While a quota is being changed the requester may know another one, which must not shorten this bucket.
    const bucket = this.fill(key, this.buckets.peek(key)?.perMinute ?? perMinute, replicas);
    const tokens = tokensToGive(bucket.tokens, theirs, perMinute, replicas);
    bucket.tokens -= tokens;
    return tokens;
  }

  /** Adds tokens that another replica gave. The next use of the bucket discards what exceeds its share. */
  receive(key: string, tokens: number): void {
    const bucket = this.buckets.get(key);
    // It was evicted. A new one would be full, so these tokens would be admitted twice.
    if (bucket) bucket.tokens += tokens;
  }

  private fill(key: string, perMinute: number, replicas: number): Bucket {
    const now = this.now();
    const capacity = capacityOf(perMinute, replicas);
    let bucket = this.buckets.get(key);
    if (!bucket) {
      this.buckets.set(key, (bucket = { tokens: capacity, perMinute, filledAt: now }));
    } else {
      const refilled = ((now - bucket.filledAt) / 1000) * refillPerSecond(perMinute, replicas);
      bucket.tokens = Math.min(capacity, bucket.tokens + refilled);
      bucket.perMinute = perMinute;
      bucket.filledAt = now;
    }
    return bucket;
  }
}

/** Times follow the whole quota: tokens of the other replicas come here when this one needs them. */
function resultOf(allowed: boolean, tokens: number, perMinute: number, replicas: number): RateLimitResult {
  const perSecond = perMinute / windowSeconds;
  return {
    allowed,
    perMinute,
    remaining: allowed ? Math.min(perMinute, Math.floor(tokens * replicas)) : 0,
    retryAfterSeconds: allowed ? 0 : Math.ceil((1 - tokens) / perSecond),
    resetSeconds: Math.max(0, Math.ceil((perMinute - tokens * replicas) / perSecond)),
  };
}
