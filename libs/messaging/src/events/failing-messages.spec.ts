import { expect, it } from '@jest/globals';
import { FailingMessages } from './failing-messages.js';

it('names how many messages fail, since when the oldest, and why, until they are applied', () => {
  let nowMs = 0;
  const failing = new FailingMessages(() => nowMs);
  failing.add(['a', 'b'], 'error 53100');
  nowMs = 9000;
  failing.add(['b', 'c'], 'error 53100');
  expect(failing.remark('ISSUANCE')).toBeUndefined();
  nowMs = 12_400;
  expect(failing.remark('ISSUANCE')).toBe(
    '3 messages of ISSUANCE could not be applied, the oldest for 12 s: error 53100',
  );
  failing.remove('a');
  failing.remove('b');
  expect(failing.remark('ISSUANCE')).toBeUndefined();
  nowMs = 20_000;
  expect(failing.remark('ISSUANCE')).toBe(
    '1 messages of ISSUANCE could not be applied, the oldest for 11 s: error 53100',
  );
});

it('forgets what is delivered to another replica', () => {
  let nowMs = 0;
  const failing = new FailingMessages(() => nowMs);
  failing.add(['a'], 'error 53100');
  nowMs = 60_001;
  expect(failing.remark('ISSUANCE')).toBeUndefined();
});
