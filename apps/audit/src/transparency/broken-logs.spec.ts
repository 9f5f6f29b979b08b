import { expect, test } from '@jest/globals';
import { Readiness } from '@holdfast/service';
import { BrokenLogs, maxUnsignedMs } from './broken-logs.js';

test('a log that is not signed for a minute is mentioned, and one that grows all the time but is signed in between is not', () => {
  const readiness = new Readiness();
  const logs = new BrokenLogs(readiness);
  const begin = Date.now() - maxUnsignedMs - 5000;
  logs.unsignedNow(['acme', 'globex'], begin);
  expect(readiness.mentioned).toEqual([
    'the audit log of acme has not been signed for 65 s',
    'the audit log of globex has not been signed for 65 s',
  ]);
  logs.signed('globex');
  logs.unsignedNow(['acme', 'globex']);
  expect(readiness.mentioned).toEqual(['the audit log of acme has not been signed for 65 s']);
  logs.unsignedNow([]);
  expect(readiness.mentioned).toEqual([]);
});

test('a broken log is mentioned with its reason until it is signed again', () => {
  const readiness = new Readiness();
  const logs = new BrokenLogs(readiness);
  logs.found('acme', 'entries are gone');
  logs.found('acme', 'more entries are gone');
  expect(readiness.mentioned).toEqual(['the audit log of acme is broken and not signed: more entries are gone']);
  expect(logs.orgs).toEqual(['acme']);
  logs.signed('acme');
  expect([readiness.mentioned, logs.orgs]).toEqual([[], []]);
});
