import { describe, expect, it } from '@jest/globals';
import { claimed } from '../claims/claim.js';
import { firstType } from '../credential-types/credential-type.entity.js';
import { managed } from '../credentials/manage.js';
import { firstOffer } from '../offers/offer.js';
import { renewalDue, renewed } from './renewal.js';

const now = new Date('2026-11-21T09:00:00.000Z');
const passkey = { id: 'P1', createdAt: now };
const day = (n: number, ms = 0) => new Date(now.getTime() + n * 86_400_000 + ms);
const type = { ...firstType, validity: 'P10D', renewalWindow: 'P3D' };

describe('renewalDue', () => {
  it.each([
    ['a moment before the window', {}, day(7, -1), false],
    ['when the window opens', {}, day(7), true],
    ['a moment before the expiration', {}, day(10, -1), true],
    ['at the expiration', {}, day(10), false],
    ['when the offer fixed a later expiration', { validUntil: day(12) }, day(9), true],
    ['when the offer fixed this expiration', { validUntil: day(10) }, day(9), false],
  ])('%s', (_, change, at, due) => expect(renewalDue({ expiresAt: day(10), ...change }, type, at)).toBe(due));

  it('is false without a window or an expiration', () => {
    expect(renewalDue({ expiresAt: day(10) }, { validity: 'P10D' }, day(9))).toBe(false);
    expect(renewalDue({}, type, day(9))).toBe(false);
  });

  it('is false when a changed validity would make the credential expire earlier', () => {
    expect(renewalDue({ expiresAt: day(10) }, { validity: 'P1D', renewalWindow: 'P3D' }, day(8))).toBe(false);
  });
});

describe('a renewal', () => {
  const offered = firstOffer(
    { id: 's', org: 'acme', app: 'shop' },
    { type, expiresAt: day(3), validUntil: day(15) },
    { offer: 'o1', credential: 'c1' },
    now,
  ).customer;
  const held = claimed(
    offered,
    'o1',
    { passkey, documentNumber: 'N1', validity: 'P10D', holderApp: 'Bitwarden' },
    now,
  ).customer;

  it('changes document number and expiration only, at the latest to the one that the offer fixed', () => {
    const { customer, events } = renewed(held, 'c1', type, 'N2', day(8));
    expect(customer.credentials).toEqual([{ ...held.credentials[0], documentNumber: 'N2', expiresAt: day(15) }]);
    expect(events).toEqual([
      {
        type: 'credential.renewed',
        data: { subject: 's', credentialId: 'c1', credentialType: 'customer', expiresAt: day(15).toISOString() },
      },
    ]);
    expect(renewed(held, 'c1', { ...type, validity: 'P4D' }, 'N2', day(8)).customer.credentials[0]!.expiresAt).toEqual(
      day(12),
    );
  });

  it('changes nothing the second time, or when the credential is suspended, revoked or expired', () => {
    const once = renewed(held, 'c1', { ...type, validity: 'P4D', renewalWindow: 'P3D' }, 'N2', day(8)).customer;
    expect(renewed(once, 'c1', { ...type, validity: 'P4D', renewalWindow: 'P3D' }, 'N3', day(8))).toEqual({
      customer: once,
      events: [],
    });
    for (const action of ['suspend', 'revoke'] as const) {
      const customer = managed(action, held, 'c1', undefined, day(8)).customer;
      expect(renewed(customer, 'c1', type, 'N2', day(8))).toEqual({ customer, events: [] });
    }
    expect(renewed(held, 'c1', type, 'N2', day(10)).events).toEqual([]);
  });
});
