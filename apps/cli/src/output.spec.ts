import { expect, test } from '@jest/globals';
import { sheet, table } from './output.js';

test('table makes columns as wide as their longest cell, without trailing blanks', () => {
  expect(
    table(
      ['ID', 'NAME'],
      [
        ['app_1', 'x'],
        ['a', 'longer'],
      ],
    ),
  ).toBe('ID     NAME\napp_1  x\na      longer');
});

test('sheet omits undefined values', () => {
  expect(sheet({ Name: 'shop', 'Credential type': undefined, Kind: 'web' })).toBe('Name  shop\nKind  web');
});
