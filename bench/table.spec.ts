import { expect, test } from '@jest/globals';
import { figure, table } from './table.ts';

test('aligns columns', () => {
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

test('shows three significant digits', () => {
  expect([1234.5, 45.67, 1.234, undefined, Number.NaN].map(figure)).toEqual(['1235', '45.7', '1.23', '-', '-']);
});

test('a cell of several lines makes its row higher, and its column as wide as the longest line', () => {
  expect(table(['route', 'rows'], [['/a', 'audit 1\nauth 22']])).toBe(
    ['route     rows', '-----  -------', '/a     audit 1', '       auth 22'].join('\n'),
  );
});
