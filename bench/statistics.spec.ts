import { expect, test } from '@jest/globals';
import { median, percentile } from './statistics.ts';

test('median is the middle value in any order', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeNaN();
});

test('percentiles are values of the input', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
  expect([0, 0.5, 0.99, 1].map((p) => percentile(hundred, p))).toEqual([1, 50, 99, 100]);
  expect(percentile([7], 0.99)).toBe(7);
});
