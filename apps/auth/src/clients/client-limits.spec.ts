import { expect, test } from '@jest/globals';
import { SharedRateLimits } from '@holdfast/access';
import { ClientLimits, TooManyRequests } from './client-limits.js';
import type { ClientRecord } from './client-record.js';

const limits = () =>
  new ClientLimits({ CLIENT_RATE_PER_MINUTE: 2, WRONG_SECRETS_PER_MINUTE: 2 }, new SharedRateLimits());

const client = (clientId: string, rateLimits = {}) => ({ app: { clientId }, rateLimits }) as ClientRecord;

test('each authenticated client has a limit of its own', () => {
  const clientLimits = limits();
  clientLimits.admit(client('a'));
  clientLimits.admit(client('a'));
  expect(() => clientLimits.admit(client('a'))).toThrow(TooManyRequests);
  expect(() => clientLimits.admit(client('b'))).not.toThrow();
});

test('wrong secrets are limited by address and by client, and do not limit requests with the right secret', () => {
  const clientLimits = limits();
  clientLimits.countWrongSecret('192.0.2.1', 'a');
  clientLimits.countWrongSecret('192.0.2.2', 'a');
  expect(() => clientLimits.countWrongSecret('192.0.2.3', 'a')).toThrow(TooManyRequests);
  expect(() => clientLimits.countWrongSecret('192.0.2.3', 'b')).not.toThrow();
  expect(() => clientLimits.countWrongSecret('192.0.2.3', 'c')).toThrow(TooManyRequests);
  expect(() => clientLimits.admit(client('a'))).not.toThrow();
});

test('a client has the quota that an operator has set for it', () => {
  const clientLimits = limits();
  const limited = client('a', { client: 1 });
  clientLimits.admit(limited);
  expect(() => clientLimits.admit(limited)).toThrow(
    expect.objectContaining({ headers: expect.objectContaining({ 'ratelimit-policy': '"client";q=1;w=60' }) }),
  );
});
