import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Customer, CustomerCredential } from '../customer/customer.js';
import { passkeyAdded, passkeyRemoved, whyMayNotAdd } from './passkey-rules.js';

const now = new Date('2026-11-27T09:00:00.000Z');
const credential = (type: string, status: CustomerCredential['status'] = 'issued'): CustomerCredential => ({
  id: type,
  type,
  status,
  revocable: true,
  createdAt: now,
});
const customer = (passkeys: number, ...credentials: CustomerCredential[]): Customer => ({
  id: 's',
  org: 'acme',
  app: 'shop',
  version: 3,
  createdAt: now,
  credentials,
  offers: [],
  passkeys: Array.from({ length: passkeys }, (_, i) => ({ id: `P${i}`, createdAt: now })),
});
const limits = (...all: [name: string, maxPasskeys: number][]) =>
  all.map(([name, maxPasskeys]) => ({ name, maxPasskeys }));

test('of several types the lowest limit counts, and those of revoked credentials do not', () => {
  const types = limits(['wide', 10], ['narrow', 2], ['single', 1]);
  const two = customer(2, credential('wide'), credential('narrow'), credential('single', 'revoked'));
  expect(whyMayNotAdd(two, types, now)).toContain('may be held by 2');
  expect(whyMayNotAdd({ ...two, passkeys: two.passkeys.slice(1) }, types, now)).toBeUndefined();
});

test('a type that is not known allows one passkey, not any number', () => {
  expect(whyMayNotAdd(customer(1, credential('new')), limits(['customer', 10]), now)).toContain('one passkey');
});

test('without a live credential none can be added', () => {
  const expired = { ...credential('customer'), expiresAt: now };
  for (const held of [credential('customer', 'suspended'), expired])
    expect(whyMayNotAdd(customer(1, held), limits(['customer', 10]), now)).toContain('live credential');
});

test('additions and removals have an event for each held credential, with the number of passkeys then', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 9 }), fc.integer({ min: 1, max: 3 }), (passkeys, held) => {
      const before = customer(passkeys, ...Array.from({ length: held }, (_, i) => credential(`type-${i}`)));
      const added = passkeyAdded(before, { id: 'new', createdAt: now });
      const removed = passkeyRemoved(added.customer, 'new');
      expect(added.events.map(({ data }) => (data as { passkeys: number }).passkeys)).toEqual(
        before.credentials.map(() => passkeys + 1),
      );
      expect(removed.events.map(({ removedPasskey }) => removedPasskey)).toEqual(before.credentials.map(() => 'new'));
      expect(removed.customer).toEqual({ ...before, version: before.version + 2 * held });
    }),
  );
});
