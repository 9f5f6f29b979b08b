import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RateLimiter } from './rate-limiter.js';

let now = 0;
const limiter = (perMinute: number, maxKeys?: number) => {
  now = 0;
  return new RateLimiter('claim', perMinute, { now: () => now, ...(maxKeys !== undefined && { maxKeys }) });
};
const waitOf = (limit: RateLimiter, key: string, at: number) => {
  now = at;
  return limit.take(key).retryAfterSeconds;
};

describe('a rate limiter', () => {
  it('allows a minute’s quota at once, and then as the bucket fills', () => {
    const limit = limiter(60);
    for (let i = 0; i < 60; i += 1) expect(waitOf(limit, 'a', 0)).toBe(0);
    expect(waitOf(limit, 'a', 0)).toBe(1);
    expect(waitOf(limit, 'a', 999)).toBe(1);
    expect(waitOf(limit, 'b', 999)).toBe(0);
    expect(waitOf(limit, 'a', 1000)).toBe(0);
    expect(waitOf(limit, 'a', 1000)).toBe(1);
  });

  it('returns how long to wait', () => {
    const limit = limiter(1);
    expect(waitOf(limit, 'a', 0)).toBe(0);
    expect(waitOf(limit, 'a', 15_000)).toBe(45);
    expect(waitOf(limit, 'a', 60_000)).toBe(0);
  });

  it('never allows more than a full bucket and its refill', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.array(fc.nat(10_000), { maxLength: 300 }),
        (perMinute, pauses) => {
          const limit = limiter(perMinute);
          const passed = pauses.filter((pause) => waitOf(limit, 'a', now + pause) === 0).length;
          expect(passed).toBeLessThanOrEqual(perMinute + (now / 60_000) * perMinute + 1e-6);
        },
      ),
    );
  });

  it('keeps its tokens when a replica that knows a smaller quota requests some', () => {
    const limiter = new RateLimiter('test', 400, { now: () => 0, replicas: () => 2 });
    limiter.take('key');
    expect(limiter.give({ key: 'key', perMinute: 20, tokens: 4 })).toBe(6);
    expect(limiter.take('key').remaining).toBe((200 - 1 - 6 - 1) * 2);
  });

  it('keeps a limited number of keys', () => {
    const limit = limiter(1, 2);
    for (const key of ['a', 'b', 'c']) expect(waitOf(limit, key, 0)).toBe(0);
    expect(waitOf(limit, 'c', 0)).toBe(60);
    expect(waitOf(limit, 'a', 0)).toBe(0);
  });

  it('returns policy, remaining requests and waiting time as headers', () => {
    const limit = limiter(2);
    expect(limit.headersOf(limit.take('a'))).toEqual({
      'ratelimit-policy': '"claim";q=2;w=60',
      ratelimit: '"claim";r=1;t=30',
    });
    limit.take('a');
    expect(limit.headersOf(limit.take('a'))).toEqual({
      'ratelimit-policy': '"claim";q=2;w=60',
      ratelimit: '"claim";r=0;t=30',
      'retry-after': '30',
    });
  });
});
