import { expect, test } from '@jest/globals';
import type { Account } from '../accounts/accounts.ts';
import type { Credential } from '../holdfast/credentials-api.ts';
import { mayBeOpen } from './staff-customer.ts';

const now = Date.parse('2026-11-21T10:00:00.000Z');
const account = (isReplacement: boolean, expiresAt = '2026-11-24T10:00:00.000Z'): Account => ({
  issuer: 'i',
  subject: 's',
  name: 'n',
  email: 'e',
  createdAt: '',
  offer: { offerId: 'o', credentialId: 'c', expiresAt, isReplacement },
});
const credential = (status: Credential['status']): Credential[] => [
  { id: 'c', credentialType: 'customer', status, revocable: true, createdAt: '' },
];

test('an offer may be open until it expires or its credential is claimed', () => {
  expect(mayBeOpen(account(false), credential('offered'), now)).toBe(true);
  expect(mayBeOpen(account(false), credential('issued'), now)).toBe(false);
  expect(mayBeOpen(account(true), credential('issued'), now)).toBe(true);
  expect(mayBeOpen(account(true), credential('revoked'), now)).toBe(false);
  expect(mayBeOpen(account(false, '2026-11-21T10:00:00.000Z'), credential('offered'), now)).toBe(false);
  expect(mayBeOpen(account(false), [], now)).toBe(false);
});
