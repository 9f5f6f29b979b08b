import { expect, test } from '@jest/globals';
import { compareResults, compareRounds, ratioTable, warningsOf } from './compare.ts';
import { savedCase, savedResult } from './fixture.ts';

const ratioOf = (a: number, b: number, rounds = 5) =>
  compareResults(savedResult([savedCase('get', a)], {}, rounds), savedResult([savedCase('get', b)], {}, rounds)).find(
    ({ what }) => what === 'CPU µs',
  )!;

test('ranges of rounds that are apart are a difference beyond the noise', () => {
  const { ratio, isBeyondNoise } = ratioOf(100, 50);
  expect(isBeyondNoise).toBe(true);
  expect(ratio.median).toBeCloseTo(0.5);
  expect([ratio.min, ratio.max].map((n) => Number(n.toFixed(2)))).toEqual([0.41, 0.61]);
});

test('ranges of rounds that overlap are noise', () => expect(ratioOf(100, 90).isBeyondNoise).toBe(false));

test('few rounds are never beyond the noise', () => expect(ratioOf(100, 50, 3).isBeyondNoise).toBe(false));

test('only cases at the same concurrency are compared, without processes that are idle', () => {
  const a = savedResult([savedCase('get', 100), savedCase('get', 90, { concurrency: 64 }), savedCase('token', 100)]);
  const b = savedResult([savedCase('get', 100), savedCase('get', 90, { concurrency: 1 }), savedCase('list', 100)]);
  expect(compareResults(a, b).map((r) => `${r.case}: ${r.what}`)).toEqual(
    ['req/s', 'p99 ms', 'CPU µs', 'gateway', 'audit'].map((what) => `get at 16: ${what}`),
  );
});

test('a process that one result has only is no figure of both', () => {
  const { gateway } = savedCase('get', 100).processes;
  const a = savedResult([savedCase('get', 100, { processes: { gateway: gateway! } })]);
  expect(compareResults(a, savedResult([savedCase('get', 100)])).map(({ what }) => what)).not.toContain('audit');
});

const rounds = (ratios: number[]) =>
  ratios.map((ratio, i) => ({ a: { 'CPU µs': 100 + i }, b: { 'CPU µs': (100 + i) * ratio } }));

test.each([
  [[0.9, 0.8, 0.95, 0.9, 0.85], true],
  [[0.9, 0.8, 1.01, 0.9, 0.85], false],
  [[1.2, 1.3, 1.1, 1.2, 1.2], true],
  [[0.5, 0.5, 0.5, 0.5], false],
])('alternating rounds with the ratios %j are beyond the noise: %s', (ratios, expected) => {
  const [compared] = compareRounds('get at 16', rounds(ratios));
  expect(compared!.isBeyondNoise).toBe(expected);
});

test('the ratio of alternating rounds is the median of their ratios, not the ratio of their medians', () => {
  const busyMachine = [
    { a: { 'CPU µs': 100 }, b: { 'CPU µs': 50 } },
    { a: { 'CPU µs': 1000 }, b: { 'CPU µs': 500 } },
    { a: { 'CPU µs': 100 }, b: { 'CPU µs': 90 } },
  ];
  expect(compareRounds('get at 16', busyMachine)[0]!.ratio.median).toBe(0.5);
});

test('the table names a case once and says in which direction it differs', () => {
  const text = ratioTable(compareRounds('get at 16', rounds([0.5, 0.5, 0.5, 0.5, 0.5])));
  expect(text).toMatch(/^get at 16 +CPU µs +102 +51\.0 +0\.50 +0\.50 to 0\.50 +less$/m);
});

test('warns of other machines, versions, too few rounds and a warm-up that did not become flat', () => {
  const a = savedResult([savedCase('get', 100)]);
  expect(warningsOf(a, a)).toEqual([]);
  const b = savedResult(
    [savedCase('get', 100, { warmUp: { runs: 10, flat: false } })],
    { machine: { ...a.machine, id: '11111111' }, versions: { ...a.versions, natsServer: '2.15.1' } },
    2,
  );
  expect(warningsOf(a, b)).toEqual([
    'The machines differ, so the ratios do not compare the commits alone.',
    'The version of nats-server differs: 2.9.10 and 2.15.1.',
    'Not flat after the warm-up: get.',
    'Nothing is marked as beyond the noise with fewer than 4 rounds.',
  ]);
});
