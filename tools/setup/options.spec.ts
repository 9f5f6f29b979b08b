import { expect, test } from '@jest/globals';
import { parseOptions } from './options.mjs';

test('one of each on port 8080 unless told otherwise', () => {
  expect(parseOptions([], {})).toEqual({
    replicas: {},
    reset: false,
    severable: false,
    help: false,
    port: 8080,
    examples: { shop: 4000, kiosk: 4001 },
  });
});

test('the example shop can be elsewhere, or nowhere', () => {
  expect(parseOptions([], { SHOP_PORT: '5000', KIOSK_PORT: '5001' }).examples).toEqual({ shop: 5000, kiosk: 5001 });
  expect(parseOptions(['--no-examples'], {}).examples).toBeUndefined();
  expect(() => parseOptions([], { SHOP_PORT: 'x' })).toThrow('SHOP_PORT is "x"');
});

test.each([[['--replicas', 'gateway=2,subjects=2']], [['--replicas=gateway=2,subjects=2']]])(
  'replicas by %j',
  (args) => {
    expect(parseOptions(args, { PORT: '9000' })).toMatchObject({ replicas: { gateway: 2, subjects: 2 }, port: 9000 });
  },
);

test.each([
  [['--foo'], '--foo'],
  [['--replicas'], '--replicas wants'],
  [['--replicas', 'gateway=0'], 'gateway=0'],
  [['--reset=1'], '--reset=1'],
  [['now'], 'now'],
])('%j is refused', (args, word) => {
  expect(() => parseOptions(args, {})).toThrow(word);
});

test.each(['abc', '0', '65536', '80.5'])('PORT=%s is refused', (PORT) => {
  expect(() => parseOptions([], { PORT })).toThrow(`PORT is "${PORT}"`);
});
