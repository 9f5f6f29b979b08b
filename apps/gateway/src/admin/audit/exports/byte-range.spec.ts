import { expect, test } from '@jest/globals';
import { byteRangeOf } from './byte-range.js';

test.each<[string, number, number]>([
  ['bytes=0-99', 0, 99],
  ['bytes=100-', 100, 999],
  ['bytes=-1', 999, 999],
  ['bytes=-5000', 0, 999],
  ['bytes=990-5000', 990, 999],
  ['Bytes=0-0', 0, 0],
])('%s of 1000 bytes is from %i to %i', (header, first, last) => {
  expect(byteRangeOf(header, 1000)).toEqual({ first, last });
});

test.each(['bytes=1000-', 'bytes=1000-1001', 'bytes=-0'])('%s of 1000 bytes cannot be satisfied', (header) => {
  expect(byteRangeOf(header, 1000)).toBe('unsatisfiable');
});

test.each([undefined, '', 'bytes=', 'bytes=-', 'bytes=5-4', 'bytes=0-1,5-6', 'items=0-1', 'bytes=a-b'])(
  '%s is ignored',
  (header) => {
    expect(byteRangeOf(header, 1000)).toBeUndefined();
  },
);

test('no byte of an empty file can be requested', () => {
  expect(byteRangeOf('bytes=0-', 0)).toBe('unsatisfiable');
  expect(byteRangeOf('bytes=-5', 0)).toBe('unsatisfiable');
});
