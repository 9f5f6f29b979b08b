import { describe, expect, it } from '@jest/globals';
import { retryDelayMs } from './retry-delay.js';

describe('the time until the next attempt', () => {
  it('doubles from a second to five minutes, and varies by a fifth', () => {
    expect([1, 2, 3, 9, 10, 1000].map((failures) => Math.round(retryDelayMs(failures, 0.5)))).toEqual([
      1000, 2000, 4000, 256_000, 300_000, 300_000,
    ]);
    expect(retryDelayMs(1, 0)).toBeCloseTo(800);
    expect(retryDelayMs(1, 1)).toBeCloseTo(1200);
  });

  it('is at least what the receiver asks for, an hour at most', () => {
    expect(retryDelayMs(1, 0.5, 90_000)).toBe(90_000);
    expect(retryDelayMs(1, 0.5, 10)).toBeCloseTo(1000);
    expect(retryDelayMs(1, 0.5, 864_000_000)).toBe(3_600_000);
  });
});
