import { expect, test } from '@jest/globals';
import { parseOptions } from './options.ts';

test('accepts options with a space and with =', () => {
  expect(parseOptions(['--rounds', '3', '--only=token,list', '--json', 'x.json'])).toMatchObject({
    rounds: 3,
    only: ['token', 'list'],
    json: 'x.json',
  });
  expect(parseOptions(['--concurrency', '8']).concurrency).toEqual([8]);
});

test('saves with --save only, and measures growth to the end without --largest', () => {
  expect(parseOptions([])).toMatchObject({ save: false, largest: Infinity });
  expect(parseOptions(['--save', '--largest', '1000', '--rounds', '1'])).toMatchObject({
    save: true,
    largest: 1000,
    rounds: 1,
  });
});

test('measures 1, 16 and 64 concurrent requests by default', () => {
  expect(parseOptions([]).concurrency).toEqual([1, 16, 64]);
});

test('explains invalid options', () => {
  expect(() => parseOptions(['--fast'])).toThrow('Unknown option --fast');
  expect(() => parseOptions(['--rounds', 'x'])).toThrow('above zero');
  expect(() => parseOptions(['--people', '1500'])).toThrow('multiple of 1000');
  expect(() => parseOptions(['--profile', 'nobody'])).toThrow('--profile must be one of');
});
