import { randomBytes } from 'node:crypto';
import {
  maxRateLimitKeyLength,
  maxTokenRequests,
  type RateLimitMessage,
  type TokenGrant,
  type TokenRequest,
} from '@holdfast/contracts';
import { RateLimiter, type RateLimiterOptions } from '@holdfast/platform';
import { LiveReplicas } from './live-replicas.js';

/**
 * The rate limits of a service, whose quotas hold for all of its replicas together. Each request is decided by this
 * replica's share in memory. Between requests, the replicas exchange messages: one that runs short requests tokens,
 * and the others give of theirs (docs/adr/0047-rate-limits-across-replicas.md).
 */
export class SharedRateLimits {
  /** A new id at each start: the buckets of an earlier process are gone. */
  readonly replica = randomBytes(9).toString('hex');
  private readonly replicas = new LiveReplicas(this.replica);
  private readonly limiters = new Map<string, RateLimiter>();

  /** How many replicas divide each quota, this one included. */
  get replicaCount(): number {
    return this.replicas.count;
  }

  /** Whether the other replicas are known, so that this one takes its share only. */
  get ready(): boolean {
    return this.replicas.known;
  }

  /** Whether it is known that no other replica runs. */
  get isAlone(): boolean {
    return this.ready && this.replicaCount === 1;
  }

  /** @param name unique in the service: the replicas know the limit by it */
  limiter(name: string, perMinute: number, options: Omit<RateLimiterOptions, 'replicas'> = {}): RateLimiter {
    const limiter = new RateLimiter(name, perMinute, { ...options, replicas: () => this.replicas.count });
    this.limiters.set(name, limiter);
    return limiter;
  }

  /** What this replica sends to all others next: also without a request, it says that this replica runs. */
  nextMessage(): RateLimitMessage {
    // Nobody receives a request while NATS does not respond.
    const requests = this.replicas.reachable ? this.requests() : [];
    return { replica: this.replica, sent: this.replicas.nextMessage(), requests };
  }

  leavingMessage(): RateLimitMessage {
    return { replica: this.replica, sent: this.replicas.nextMessage(), leaving: true, requests: [] };
  }

  /** @returns the tokens that the sender gets; they are gone here */
  receive(message: RateLimitMessage): TokenGrant[] {
    if (!this.replicas.receive(message)) return [];
    return message.requests.flatMap(({ limit, ...bucket }) => {
      const tokens = this.limiters.get(limit)?.give(bucket) ?? 0;
      return tokens > 0 ? [{ limit, key: bucket.key, tokens }] : [];
    });
  }

  receiveGrants(grants: readonly TokenGrant[]): void {
    for (const { limit, key, tokens } of grants) this.limiters.get(limit)?.receive(key, tokens);
  }

  private requests(): TokenRequest[] {
    return [...this.limiters.values()]
      .flatMap((limiter) => limiter.takeShortBuckets().map((bucket) => ({ limit: limiter.name, ...bucket })))
      .filter(({ key }) => key.length <= maxRateLimitKeyLength)
      .slice(0, maxTokenRequests);
  }
}
