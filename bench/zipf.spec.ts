import { expect, test } from '@jest/globals';
import { zipf } from './zipf.ts';

test('the second comes half as often as the first, the fourth a quarter', () => {
  const steps = 2500;
  let step = 0;
  const draw = zipf(4, () => (step++ + 0.5) / steps);
  const seen = [0, 0, 0, 0];
  for (let i = 0; i < steps; i++) seen[draw()]! += 1;
  expect(seen).toEqual([1200, 600, 400, 300]);
});
