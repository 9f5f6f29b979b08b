import { expect, test } from '@jest/globals';
import { randomSequence, shuffle } from './random-sequence.js';

function draw(seed: number): number[] {
  const random = randomSequence(seed);
  return Array.from({ length: 50 }, () => random(10));
}

test('a seed repeats its sequence, and another seed gives another one', () => {
  expect(draw(42)).toEqual(draw(42));
  expect(draw(43)).not.toEqual(draw(42));
  expect(draw(42).every((n) => Number.isInteger(n) && n >= 0 && n < 10)).toBe(true);
});

test('shuffling keeps all items, in an order that the seed repeats', () => {
  const [items, same] = [Array.from({ length: 50 }, (_, i) => i), Array.from({ length: 50 }, (_, i) => i)];
  shuffle(items, randomSequence(42));
  shuffle(same, randomSequence(42));
  expect(items).toEqual(same);
  expect(items).not.toEqual(items.toSorted((a, b) => a - b));
  expect(items.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i));
});
