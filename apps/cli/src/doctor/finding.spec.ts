import { expect, it } from '@jest/globals';
import { check, clockFinding } from './finding.js';

it.each([
  [900, 0, 'ok'],
  [-900, 0, 'ok'],
  [3000, 0, 'warning'],
  [-6500, 1000, 'failed'],
  [6500, 6000, 'ok'],
] as const)('a clock that is %i ms ahead, or up to %i ms less, is %s', (aheadMs, uncertaintyMs, result) => {
  expect(clockFinding('clock', aheadMs, uncertaintyMs).result).toBe(result);
});

it('says in which direction a clock differs', () => {
  expect([clockFinding('a', 9000, 0).detail, clockFinding('b', -9000, 0).detail]).toEqual([
    "9.0 s ahead of this machine's",
    "9.0 s behind this machine's",
  ]);
});

it('reports the error of a check that cannot run as a finding', async () => {
  expect(await check('disk', 'Look.', () => Promise.reject(new Error('permission denied')))).toEqual([
    { check: 'disk', result: 'failed', detail: 'permission denied', advice: 'Look.' },
  ]);
});
