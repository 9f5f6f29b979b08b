import { expect, test } from '@jest/globals';
import { zipf } from './zipf.ts';

test('draws the second half as often as the first, and the fourth a quarter as often', () => {
  const steps = 2500;
  let step = 0;
  const draw = zipf(4, () => (step++ + 0.5) / steps);
  const seen = [0, 0, 0, 0];
  for (let i = 0; i < steps; i++) seen[draw()]! += 1;
  expect(seen).toEqual([1200, 600, 400, 300]);
});
