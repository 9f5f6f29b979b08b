import { expect, test } from '@jest/globals';
import { figure, table } from './table.ts';

test('columns line up', () => {
  expect(
    table(
      ['case', 'n'],
      [
        ['token', '1'],
        ['x', '100'],
      ],
    ),
  ).toBe('case     n\n-----  ---\ntoken    1\nx      100');
});

test('three digits that mean something', () => {
  expect([1234.5, 45.67, 1.234, undefined, Number.NaN].map(figure)).toEqual(['1235', '45.7', '1.23', '-', '-']);
});
