import { expect, test } from '@jest/globals';
import { nextDelay } from './backoff.ts';

test('waits twice as long each time, ten seconds at most', () => {
  const delays: number[] = [];
  for (let delay = 0; delays.length < 8; delays.push(delay)) delay = nextDelay(delay, 100);
  expect(delays).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
});

test('begins anew after half a minute of life', () => {
  expect(nextDelay(6400, 29_999)).toBe(10_000);
  expect(nextDelay(6400, 30_000)).toBe(200);
});
