import { expect, test } from '@jest/globals';
import { retryDelayMs } from './retry-delay.js';

test('doubles from a second to an hour, with 20 % jitter', () => {
  expect([1, 2, 3, 11, 12, 13, 60].map((attempts) => retryDelayMs(attempts, 0.5) / 1000)).toEqual([
    1, 2, 4, 1024, 2048, 3600, 3600,
  ]);
  expect([retryDelayMs(1, 0), retryDelayMs(1, 1)].map(Math.round)).toEqual([800, 1200]);
});

test('allows about thirty attempts a day', () => {
  let elapsedMs = 0;
  let attempts = 0;
  while (elapsedMs < 86_400_000) elapsedMs += retryDelayMs((attempts += 1), 0.5);
  expect(attempts).toBeGreaterThan(25);
  expect(attempts).toBeLessThan(40);
});
