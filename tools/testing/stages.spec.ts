import { expect, test } from '@jest/globals';
import { countTests, parseTestArgs, slowest, table } from './stages.ts';

test('all stages, or those named, in their order', () => {
  expect(parseTestArgs([])).toEqual({ chosen: ['unit', 'integration', 'e2e'], jestArgs: [] });
  expect(parseTestArgs(['e2e', 'unit', '--', '-t', 'erase'])).toEqual({
    chosen: ['unit', 'e2e'],
    jestArgs: ['-t', 'erase'],
  });
  expect(() => parseTestArgs(['units'])).toThrow('There is no stage units');
});

test('no failure goes uncounted', () => {
  const report = { numPassedTests: 3, numFailedTests: 1, numRuntimeErrorTestSuites: 2 };
  expect(countTests(report, 1)).toEqual({ passed: 3, failed: 3 });
  expect(countTests({ numPassedTests: 3, numFailedTests: 0, numRuntimeErrorTestSuites: 0 }, 1)).toEqual({
    passed: 3,
    failed: 1,
  });
  expect(countTests(undefined, 0)).toEqual({ passed: 0, failed: 1 });
});

test('a stage over its budget says so', () => {
  const text = table(
    new Map([
      ['unit', { passed: 1, failed: 0, milliseconds: 200_000 }],
      ['e2e', { passed: 1, failed: 0, milliseconds: 1000 }],
    ]),
  );
  expect(text.split('\n').map((line) => line.includes('over'))).toEqual([true, false]);
});

test('the slowest files come first, and no more of them than asked for', () => {
  const took = (name: string, seconds: number) => ({ name, startTime: 1000, endTime: 1000 + seconds * 1000 });
  const report = {
    numPassedTests: 1,
    numFailedTests: 0,
    numRuntimeErrorTestSuites: 0,
    testResults: [took('a', 1), took('b', 30), took('c', 2)],
  };
  expect(
    slowest(report, 2)
      .split('\n')
      .map((line) => line.trim()),
  ).toEqual(['30 s  b', '2 s  c']);
  expect(slowest(undefined)).toBe('');
});
