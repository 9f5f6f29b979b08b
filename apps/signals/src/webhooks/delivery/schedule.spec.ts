import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { endpointPauseMs, maxTries, nextDelayMs } from './schedule.js';

const hourMs = 3_600_000;

describe('the attempts of a message', () => {
  it('are ten over about 75 hours', () => {
    const delays = Array.from({ length: maxTries - 1 }, (_, i) => nextDelayMs(i + 1, 0.5)!);
    expect(delays.map((ms) => ms / 1000)).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(delays.reduce((sum, ms) => sum + ms, 0) / hourMs).toBeCloseTo(75.6, 1);
    expect(nextDelayMs(maxTries, 0.5)).toBeUndefined();
  });

  it('have 20 % jitter', () => {
    expect([nextDelayMs(1, 0), nextDelayMs(1, 1)]).toEqual([4000, 6000]);
  });

  it('wait for as long as a receiver asks that cannot take the message now, a day at most', () => {
    const later = { status: 503, retryAfterMs: 60_000 };
    expect(nextDelayMs(1, 0.5, later)).toBe(60_000);
    expect(nextDelayMs(4, 0.5, later)).toBe(2 * hourMs);
    expect(nextDelayMs(1, 0.5, { status: 429, retryAfterMs: 400 * hourMs })).toBe(24 * hourMs);
    expect(nextDelayMs(1, 0.5, { status: 500, retryAfterMs: 60_000 })).toBe(5000);
  });

  it('are never in the past', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.double({ min: 0, max: 1, noNaN: true }), (tries, random) => {
        const delayMs = nextDelayMs(tries, random);
        return delayMs === undefined ? tries >= maxTries : delayMs >= 4000;
      }),
    );
  });
});

describe('an endpoint', () => {
  it('is paused after ten failed attempts in a row, for a minute at most', () => {
    expect([1, 9, 10, 11, 13, 100, 10_000].map(endpointPauseMs)).toEqual([0, 0, 1000, 2000, 8000, 60_000, 60_000]);
  });
});
