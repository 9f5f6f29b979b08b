import { expect, test } from '@jest/globals';
import { parseOptions } from './options.ts';

test('options in either form', () => {
  expect(parseOptions(['--rounds', '3', '--only=token,list', '--json', 'x.json'])).toMatchObject({
    rounds: 3,
    only: ['token', 'list'],
    json: 'x.json',
  });
  expect(parseOptions(['--concurrency', '8']).concurrency).toEqual([8]);
});

test('measures at one request, at 16 and at 64 unless told otherwise', () => {
  expect(parseOptions([]).concurrency).toEqual([1, 16, 64]);
});

test('says what it does not know', () => {
  expect(() => parseOptions(['--fast'])).toThrow('There is no option --fast');
  expect(() => parseOptions(['--rounds', 'x'])).toThrow('above zero');
  expect(() => parseOptions(['--profile', 'nobody'])).toThrow('--profile wants one of');
});
