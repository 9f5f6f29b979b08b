import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { serverErrors } from './server-errors.ts';

const line = (second: number, status: number) =>
  JSON.stringify({ time: new Date(second * 1000).toISOString(), status, msg: 'request' });
const file = (name: string, status: string, from: number, to: number) => ({
  name,
  status,
  startTime: from * 1000,
  endTime: to * 1000,
});
const report = (...testResults: ReturnType<typeof file>[]) => ({
  numPassedTests: 0,
  numFailedTests: 0,
  numRuntimeErrorTestSuites: 0,
  testResults,
});

describe('the server errors of a run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'logs-'));
  writeFileSync(join(folder, 'gateway-1.log'), [line(1, 503), line(12, 200), line(13, 503), 'no JSON'].join('\n'));
  writeFileSync(join(folder, 'auth-1.log'), [line(11, 500), line(21, 503), ''].join('\n'));

  it('are those of all services while a failing file ran, in the order of time', () => {
    expect(serverErrors(report(file('a', 'passed', 0, 9), file('b', 'failed', 10, 20)), folder).split('\n')).toEqual([
      'Responses with a 5xx status during b:',
      line(11, 500),
      line(13, 503),
    ]);
  });

  it('are none when no file failed, or there are no logs', () => {
    expect(serverErrors(report(file('a', 'passed', 0, 30)), folder)).toBe('');
    expect(serverErrors(undefined, folder)).toBe('');
    expect(serverErrors(report(file('a', 'failed', 0, 30)), join(folder, 'none'))).toBe('');
  });
});
