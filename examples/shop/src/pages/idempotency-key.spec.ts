import { expect, test } from '@jest/globals';
import { idempotencyKey } from './idempotency-key.ts';

test('idempotencyKey returns one key for a form that is sent twice, and another for another session or content', () => {
  const [mine, other] = [{ sessionId: 'a' }, { sessionId: 'b' }];
  const keys = [
    idempotencyKey(mine, 'f', 'ada'),
    idempotencyKey(other, 'f', 'ada'),
    idempotencyKey(mine, 'g', 'ada'),
    idempotencyKey(mine, 'f', 'bob'),
    idempotencyKey(mine, 'fa', 'da'),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(idempotencyKey(mine, 'f', 'ada')).toBe(keys[0]);
});
