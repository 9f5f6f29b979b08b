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

test('a cell of several lines takes as many lines of the table and makes no column wider than its longest line', () => {
  expect(table(['route', 'rows'], [['/a', 'audit 1\nauth 22']])).toBe(
    ['route     rows', '-----  -------', '/a     audit 1', '       auth 22'].join('\n'),
  );
});
