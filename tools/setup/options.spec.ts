import { expect, test } from '@jest/globals';
import { parseOptions } from './options.mjs';

test('without options, the stack has one replica of each service and port 8080', () => {
  expect(parseOptions([], {})).toEqual({
    replicas: {},
    shards: [],
    reset: false,
    severable: false,
    ownDatabases: false,
    help: false,
    baseUrl: 'http://localhost:8080',
    port: 8080,
    host: 'localhost',
    examples: { shop: 4000, kiosk: 4001 },
  });
});

test('the ports of the example shop can be chosen, and the shop left out', () => {
  expect(parseOptions([], { SHOP_PORT: '5000', KIOSK_PORT: '5001' }).examples).toEqual({ shop: 5000, kiosk: 5001 });
  expect(parseOptions(['--no-examples'], {}).examples).toBeUndefined();
  expect(() => parseOptions([], { SHOP_PORT: 'x' })).toThrow('SHOP_PORT is "x"');
});

test.each([[['--replicas', 'gateway=2,subjects=2']], [['--replicas=gateway=2,subjects=2']]])(
  '%j sets the numbers of replicas',
  (args) => {
    expect(parseOptions(args, { PORT: '9000' })).toMatchObject({ replicas: { gateway: 2, subjects: 2 }, port: 9000 });
  },
);

test.each([
  [['--foo'], '--foo'],
  [['--replicas'], '--replicas needs'],
  [['--shards', 'eu2,main'], '--shards needs'],
  [['--shards', 'eu2,eu2'], '--shards needs'],
  [['--replicas', 'gateway=0'], 'gateway=0'],
  [['--reset=1'], '--reset=1'],
  [['now'], 'now'],
])('throws an error that names the wrong option of %j', (args, text) => {
  expect(() => parseOptions(args, {})).toThrow(text);
});

test.each(['abc', '0', '65536', '80.5'])('throws when PORT is %s', (PORT) => {
  expect(() => parseOptions([], { PORT })).toThrow(`PORT is "${PORT}"`);
});

test.each([
  [{ PORT: '9000' }, 'http://localhost:9000', 9000],
  [{ BASE_URL: 'https://localhost:8443/' }, 'https://localhost:8443', 8443],
  [{ BASE_URL: 'https://ID.example.test' }, 'https://id.example.test', 443],
  [{ BASE_URL: 'https://id.example.test', PORT: '8443' }, 'https://id.example.test', 8443],
])('with %j the stack is reached at %s and listens on %i', (env, baseUrl, port) => {
  expect(parseOptions([], env)).toMatchObject({ baseUrl, port });
});

test.each([
  ['id.example.test', 'it must be an address with https'],
  ['http://id.example.test', 'browsers offer passkeys with https only'],
  ['https://192.0.2.1:8443', 'no passkeys for an IP address'],
  ['https://[::1]:8443', 'no passkeys for an IP address'],
  ['https://id.example.test/auth', 'nothing but scheme, host and port'],
])('throws when BASE_URL is %s: %s', (BASE_URL, reason) => {
  expect(() => parseOptions([], { BASE_URL })).toThrow(reason);
});

test('other machines reach the stack with https only', () => {
  const HTTP_HOST = '0.0.0.0';
  expect(() => parseOptions([], { HTTP_HOST })).toThrow('HTTP_HOST is "0.0.0.0"');
  expect(parseOptions([], { HTTP_HOST, BASE_URL: 'https://id.example.test:8443' }).host).toBe('0.0.0.0');
});
