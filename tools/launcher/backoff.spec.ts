import { expect, test } from '@jest/globals';
import { nextDelayMs } from './backoff.ts';

test('the delay doubles each time, up to ten seconds', () => {
  const delays: number[] = [];
  for (let delay = 0; delays.length < 8; delays.push(delay)) delay = nextDelayMs(delay, 100);
  expect(delays).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
});

test('the delay is the first one again after the program has run for half a minute', () => {
  expect(nextDelayMs(6400, 29_999)).toBe(10_000);
  expect(nextDelayMs(6400, 30_000)).toBe(200);
});
