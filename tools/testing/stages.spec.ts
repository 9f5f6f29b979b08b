import { describe, expect, test } from '@jest/globals';
import { countsAfterRepeat, countTests, filesToRepeat, parseTestArgs, slowest, sumOf, table } from './stages.ts';

test('parseTestArgs returns all stages, or the named ones, in their order', () => {
  expect(parseTestArgs([])).toEqual({ selected: ['unit', 'integration', 'e2e'], jestArgs: [] });
  expect(parseTestArgs(['e2e', 'unit', '--', '-t', 'erase'])).toEqual({
    selected: ['unit', 'e2e'],
    jestArgs: ['-t', 'erase'],
  });
  expect(() => parseTestArgs(['units'])).toThrow('There is no stage units');
});

test('countTests counts every failure', () => {
  const report = { numPassedTests: 3, numFailedTests: 1, numRuntimeErrorTestSuites: 2 };
  expect(countTests(report, 1)).toEqual({ passed: 3, failed: 3 });
  expect(countTests({ numPassedTests: 3, numFailedTests: 0, numRuntimeErrorTestSuites: 0 }, 1)).toEqual({
    passed: 3,
    failed: 1,
  });
  expect(countTests(undefined, 0)).toEqual({ passed: 0, failed: 1 });
});

test('sumOf adds the counts of runs', () => {
  expect(
    sumOf([
      { passed: 1, failed: 0 },
      { passed: 2, failed: 3 },
    ]),
  ).toEqual({ passed: 3, failed: 3 });
});

test('table marks a stage that exceeded its budget', () => {
  const text = table(
    new Map([
      ['integration', { passed: 1, failed: 0, durationMs: 700_000 }],
      ['e2e', { passed: 1, failed: 0, durationMs: 1000 }],
    ]),
  );
  expect(text.split('\n').map((line) => line.includes('over'))).toEqual([true, false]);
});

test('slowest returns the given number of files, the slowest first', () => {
  const result = (name: string, seconds: number) => ({
    name,
    status: 'passed',
    startTime: 1000,
    endTime: 1000 + seconds * 1000,
  });
  const report = {
    numPassedTests: 1,
    numFailedTests: 0,
    numRuntimeErrorTestSuites: 0,
    testResults: [result('a', 1), result('b', 30), result('c', 2)],
  };
  expect(
    slowest(report, 2)
      .split('\n')
      .map((line) => line.trim()),
  ).toEqual(['30 s  b', '2 s  c']);
  expect(slowest(undefined)).toBe('');
});

describe('failed files', () => {
  const file = (name: string, ...results: string[]) => ({
    name,
    status: results.includes('failed') || results.length === 0 ? 'failed' : 'passed',
    startTime: 0,
    endTime: 1,
    assertionResults: results.map((status) => ({ status })),
  });
  const reportOf = (...testResults: ReturnType<typeof file>[]) => ({
    numPassedTests: 5,
    numFailedTests: 1,
    numRuntimeErrorTestSuites: 1,
    testResults,
  });
  const report = reportOf(file('a', 'passed', 'passed'), file('b', 'passed', 'failed'), file('c'));

  test('run again in the stages with servers, and not in the stage unit', () => {
    expect(filesToRepeat('integration', report)).toEqual(['b', 'c']);
    expect(filesToRepeat('e2e', report)).toEqual(['b', 'c']);
    expect(filesToRepeat('unit', report)).toEqual([]);
    expect(filesToRepeat('e2e', undefined)).toEqual([]);
  });

  test('do not run again when there are more than three', () => {
    expect(filesToRepeat('e2e', reportOf(...['a', 'b', 'c', 'd'].map((name) => file(name))))).toEqual([]);
  });

  test('count with the result of the second run', () => {
    expect(countsAfterRepeat({ passed: 3, failed: 2 }, report, { passed: 3, failed: 1 })).toEqual({
      passed: 5,
      failed: 1,
    });
  });
});
