import { expect, test } from '@jest/globals';
import { ClientLimits, TooManyRequests } from './client-limits.js';

const limits = () => new ClientLimits({ CLIENT_RATE_PER_MINUTE: 2, WRONG_SECRETS_PER_MINUTE: 2 });

test('a client that proves to be itself has a limit of its own', () => {
  const one = limits();
  one.admit('a');
  one.admit('a');
  expect(() => one.admit('a')).toThrow(TooManyRequests);
  expect(() => one.admit('b')).not.toThrow();
});

test('wrong secrets are limited by address and by client, and leave the right secret alone', () => {
  const one = limits();
  one.countWrongSecret('192.0.2.1', 'a');
  one.countWrongSecret('192.0.2.2', 'a');
  expect(() => one.countWrongSecret('192.0.2.3', 'a')).toThrow(TooManyRequests);
  expect(() => one.countWrongSecret('192.0.2.3', 'b')).not.toThrow();
  expect(() => one.countWrongSecret('192.0.2.3', 'c')).toThrow(TooManyRequests);
  expect(() => one.admit('a')).not.toThrow();
});
