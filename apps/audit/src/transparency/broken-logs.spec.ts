import { expect, test } from '@jest/globals';
import { Readiness } from '@holdfast/service';
import { BrokenLogs, maxUnsignedMs } from './broken-logs.js';

test('readiness mentions a log that is unsigned for a minute, but not one that was signed in between', () => {
  const readiness = new Readiness();
  const logs = new BrokenLogs(readiness);
  const begin = Date.now() - maxUnsignedMs - 5000;
  logs.updateUnsigned(['acme', 'globex'], begin);
  expect(readiness.remarks).toEqual([
    'the audit log of acme has not been signed for 65 s',
    'the audit log of globex has not been signed for 65 s',
  ]);
  logs.resolve('globex');
  logs.updateUnsigned(['acme', 'globex']);
  expect(readiness.remarks).toEqual(['the audit log of acme has not been signed for 65 s']);
  logs.updateUnsigned([]);
  expect(readiness.remarks).toEqual([]);
});

test('readiness mentions a broken log with its last reason until it is signed again', () => {
  const readiness = new Readiness();
  const logs = new BrokenLogs(readiness);
  logs.report('acme', 'entries are gone');
  logs.report('acme', 'more entries are gone');
  expect(readiness.remarks).toEqual(['the audit log of acme is broken and not signed: more entries are gone']);
  expect(logs.orgs).toEqual(['acme']);
  logs.resolve('acme');
  expect([readiness.remarks, logs.orgs]).toEqual([[], []]);
});
