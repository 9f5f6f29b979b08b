import { expect, test } from '@jest/globals';
import { growthLots, isGrowth } from './growth.ts';
import { lotTable, mediansOf, type Point } from './lot.ts';

test('growth is measured only when it is named', () => {
  expect(growthLots([])).toEqual([]);
  expect(growthLots(['token', 'growth-log'])).toEqual(['growth-log']);
  expect(growthLots(['growth'])).toEqual(['growth-organizations', 'growth-log', 'growth-customers']);
  expect(['growth', 'growth-log', 'token'].map(isGrowth)).toEqual([true, true, false]);
});

test('a figure that one size does not have is a dash in the table', () => {
  const points: Point[] = [
    { size: 1000, figures: { 'get CPU µs': 400 } },
    { size: 10_000, figures: { 'get CPU µs': 410, 'offer WAL kB': 12.34 } },
  ];
  expect(lotTable({ name: 'customers', points }).split('\n').slice(2)).toEqual([
    '1,000             400             -',
    '10,000            410          12.3',
  ]);
});

test('the figures of several rounds are their medians', () => {
  expect(
    mediansOf([
      { a: 1, b: 9 },
      { a: 3, b: 7 },
      { a: 2, b: 8 },
    ]),
  ).toEqual({ a: 2, b: 8 });
});
