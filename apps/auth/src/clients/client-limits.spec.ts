import { expect, test } from '@jest/globals';
import { SharedRateLimits } from '@holdfast/access';
import { ClientLimits, TooManyRequests } from './client-limits.js';

const limits = () =>
  new ClientLimits({ CLIENT_RATE_PER_MINUTE: 2, WRONG_SECRETS_PER_MINUTE: 2 }, new SharedRateLimits());

test('each authenticated client has a limit of its own', () => {
  const clientLimits = limits();
  clientLimits.admit('a');
  clientLimits.admit('a');
  expect(() => clientLimits.admit('a')).toThrow(TooManyRequests);
  expect(() => clientLimits.admit('b')).not.toThrow();
});

test('wrong secrets are limited by address and by client, and do not limit requests with the right secret', () => {
  const clientLimits = limits();
  clientLimits.countWrongSecret('192.0.2.1', 'a');
  clientLimits.countWrongSecret('192.0.2.2', 'a');
  expect(() => clientLimits.countWrongSecret('192.0.2.3', 'a')).toThrow(TooManyRequests);
  expect(() => clientLimits.countWrongSecret('192.0.2.3', 'b')).not.toThrow();
  expect(() => clientLimits.countWrongSecret('192.0.2.3', 'c')).toThrow(TooManyRequests);
  expect(() => clientLimits.admit('a')).not.toThrow();
});
