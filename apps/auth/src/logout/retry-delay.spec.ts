import { expect, test } from '@jest/globals';
import { retryDelay } from './retry-delay.js';

test('doubles from a second to an hour, a fifth more or less', () => {
  expect([1, 2, 3, 11, 12, 13, 60].map((attempts) => retryDelay(attempts, 0.5) / 1000)).toEqual([
    1, 2, 4, 1024, 2048, 3600, 3600,
  ]);
  expect([retryDelay(1, 0), retryDelay(1, 1)].map(Math.round)).toEqual([800, 1200]);
});

test('about thirty attempts a day', () => {
  let at = 0;
  let attempts = 0;
  while (at < 86_400_000) at += retryDelay((attempts += 1), 0.5);
  expect(attempts).toBeGreaterThan(25);
  expect(attempts).toBeLessThan(40);
});
