import { expect, test } from '@jest/globals';
import { planKeys } from './key-states.js';

const now = new Date('2026-11-21T12:00:00Z');
const key = (kid: string, hours: number, alg = 'RS256') => ({
  kid,
  alg,
  signsFrom: new Date(now.getTime() + hours * 3_600_000),
});
const statesOf = (...keys: ReturnType<typeof key>[]) =>
  planKeys(keys, now).keys.map(({ key: { kid }, state }) => `${kid} ${state}`);

test('the newest key whose time has come signs; later keys are published, and earlier ones for a day', () => {
  expect(statesOf(key('a', -48))).toEqual(['a signing']);
  expect(statesOf(key('a', -48), key('b', 1))).toEqual(['a signing', 'b next']);
  expect(statesOf(key('a', -48), key('b', 0))).toEqual(['b signing', 'a verifying']);
  expect(statesOf(key('a', -90), key('b', -23), key('c', 5))).toEqual(['b signing', 'c next', 'a verifying']);
  expect(statesOf(key('a', -90), key('b', -24))).toEqual(['b signing']);
});

test('each algorithm has a signing key, and signing keys come first', () => {
  expect(statesOf(key('a', -48), key('b', -1), key('x', -48, 'ES256'), key('y', -1, 'ES256'))).toEqual([
    'b signing',
    'y signing',
    'a verifying',
    'x verifying',
  ]);
});

test('the plan says when it changes by itself', () => {
  expect(planKeys([key('a', -48)], now).changesAt).toBe(Infinity);
  expect(planKeys([key('a', -48), key('b', 1)], now).changesAt).toBe(now.getTime() + 3_600_000);
  expect(planKeys([key('a', -48), key('b', -1)], now).changesAt).toBe(now.getTime() + 23 * 3_600_000);
});
