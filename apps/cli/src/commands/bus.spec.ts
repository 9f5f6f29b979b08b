import { expect, test } from '@jest/globals';
import type { NatsLayout } from '@holdfast/platform-policy';
import { usersChange } from './bus.js';

const usersIn = (layout: NatsLayout) =>
  JSON.stringify(layout === 'accounts' ? { authorization: {}, accounts: {} } : { authorization: { users: [] } });
const single = JSON.stringify({ authorization: { users: ['of an earlier version'] } });

test('a new ConfigMap gets accounts, and one that has them keeps them', () => {
  expect(usersChange(undefined, usersIn)).toEqual({ 'users.conf': usersIn('accounts') });
  expect(usersChange(JSON.stringify({ accounts: { OLD: {} } }), usersIn)).toEqual({
    'users.conf': usersIn('accounts'),
  });
  expect(usersChange(usersIn('accounts'), usersIn)).toEqual({});
});

test('a deployment from before there were accounts gets the users of this version in its one account', () => {
  expect(usersChange(single, usersIn)).toEqual({ 'users.conf': usersIn('single') });
  expect(usersChange(single, usersIn, 'accounts')).toEqual({ 'users.conf': usersIn('accounts') });
});
