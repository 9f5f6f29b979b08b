import { expect, test } from '@jest/globals';
import { idempotencyKey } from './idempotency-key.ts';

test('the same form sent twice has one key; another session, form or content has another', () => {
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
