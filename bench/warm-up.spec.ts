import { expect, test } from '@jest/globals';
import { isFlat, warmUp } from './warm-up.ts';

test.each([
  [[], false],
  [[100, 100], false],
  [[100, 98, 96], true],
  [[300, 200, 199], false],
  [[100, 100, 90], false],
])('runs of %j are flat: %s', (seen, flat) => expect(isFlat(seen)).toBe(flat));

test('repeats until three runs are flat', async () => {
  const costs = [900, 500, 300, 290, 285, 100];
  expect(await warmUp(() => Promise.resolve(costs.shift()!))).toEqual({ runs: 5, flat: true });
});

test('ends after ten runs that are never flat', async () => {
  let cost = 1;
  expect(await warmUp(() => Promise.resolve((cost *= 2)))).toEqual({ runs: 10, flat: false });
});
