import { expect, test } from '@jest/globals';
import type { Account } from '../accounts/accounts.ts';
import type { Credential } from '../holdfast/credentials-api.ts';
import { faultOf } from './sign-up.ts';
import { mayBeOpen } from './staff-customer.ts';

const now = Date.parse('2026-11-21T10:00:00.000Z');
const account = (again: boolean, expiresAt = '2026-11-24T10:00:00.000Z'): Account => ({
  issuer: 'i',
  subject: 's',
  name: 'n',
  email: 'e',
  createdAt: '',
  offer: { offerId: 'o', credentialId: 'c', expiresAt, again },
});
const credential = (status: Credential['status']): Credential[] => [
  { id: 'c', credentialType: 'customer', status, revocable: true, createdAt: '' },
];

test('an offer may be open until its time is up or its credential is held', () => {
  expect(mayBeOpen(account(false), credential('offered'), now)).toBe(true);
  expect(mayBeOpen(account(false), credential('issued'), now)).toBe(false);
  expect(mayBeOpen(account(true), credential('issued'), now)).toBe(true);
  expect(mayBeOpen(account(true), credential('revoked'), now)).toBe(false);
  expect(mayBeOpen(account(false, '2026-11-21T10:00:00.000Z'), credential('offered'), now)).toBe(false);
  expect(mayBeOpen(account(false), [], now)).toBe(false);
});

test('the form asks for a name and an address', () => {
  expect(faultOf({ name: 'Ada', email: 'ada@example.com' })).toBeUndefined();
  expect(faultOf({ name: '', email: 'ada@example.com' })).toContain('name');
  expect(faultOf({ name: 'Ada', email: 'ada' })).toContain('e-mail');
});
