import { expect, test } from '@jest/globals';
import { LogBudget } from './log-budget.js';

test('allows a second’s worth of lines at once, and then its rate', () => {
  let now = 0;
  const budget = new LogBudget(10, () => now);
  const taken = (tries: number) => Array.from({ length: tries }, () => budget.take()).filter(Boolean).length;
  expect(taken(1000)).toBe(10);
  now = 500;
  expect(taken(1000)).toBe(5);
  now = 3_600_000;
  expect(taken(1000)).toBe(10);
});

test('allows a line every five seconds at 0.2 a second', () => {
  let now = 0;
  const budget = new LogBudget(0.2, () => now);
  expect([budget.take(), budget.take()]).toEqual([true, false]);
  now = 5000;
  expect([budget.take(), budget.take()]).toEqual([true, false]);
});

test('allows no line at 0', () => {
  expect(new LogBudget(0).take()).toBe(false);
});
