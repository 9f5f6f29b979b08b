import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { backOffMs } from './back-off.js';

const settings = { initialMs: 1000, maxMs: 300_000, maxRetryAfterMs: 3_600_000 };

describe('the time until the next attempt', () => {
  it('doubles up to its limit, with 20 % jitter', () => {
    expect([1, 2, 3, 9, 10, 1000].map((failures) => backOffMs(settings, failures, 0.5))).toEqual([
      1000, 2000, 4000, 256_000, 300_000, 300_000,
    ]);
    expect([backOffMs(settings, 1, 0), backOffMs(settings, 1, 1)]).toEqual([800, 1200]);
    expect(backOffMs(settings, 10, 1)).toBe(360_000);
  });

  it('is at least what the receiver asks for, up to a limit', () => {
    expect(backOffMs(settings, 1, 0.5, 60_000)).toBe(60_000);
    expect(backOffMs(settings, 1, 0.5, 86_400_000)).toBe(3_600_000);
    expect(backOffMs({ initialMs: 1000, maxMs: 300_000 }, 1, 0.5, 60_000)).toBe(1000);
  });

  it('is always finite and positive', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
        const delayMs = backOffMs(settings, failures, random);
        return delayMs >= 800 && delayMs <= 360_000;
      }),
    );
  });
});
