import { describe, expect, it } from '@jest/globals';
import { claimed } from '../claims/claim.js';
import { firstType } from '../credential-types/credential-type.entity.js';
import { managed } from '../credentials/manage.js';
import { firstOffer } from '../offers/offer.js';
import { renewalDue, renewed } from './renewal.js';

const now = new Date('2026-11-21T09:00:00.000Z');
const day = (n: number, ms = 0) => new Date(now.getTime() + n * 86_400_000 + ms);
const type = { ...firstType, validity: 'P10D', renewalWindow: 'P3D' };

describe('whether a sign-in renews', () => {
  it.each([
    ['a moment before the window', {}, day(7, -1), false],
    ['when the window opens', {}, day(7), true],
    ['a moment before the end', {}, day(10, -1), true],
    ['at the end', {}, day(10), false],
    ['up to the latest end of the offer', { validUntil: day(12) }, day(9), true],
    ['at the latest end of the offer already', { validUntil: day(10) }, day(9), false],
  ])('%s', (_, change, at, due) => expect(renewalDue({ expiresAt: day(10), ...change }, type, at)).toBe(due));

  it('not without a window or an end', () => {
    expect(renewalDue({ expiresAt: day(10) }, { validity: 'P10D' }, day(9))).toBe(false);
    expect(renewalDue({}, type, day(9))).toBe(false);
  });

  it('not when the type has become so short that it would end earlier', () => {
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
  const held = claimed(offered, 'o1', { documentNumber: 'N1', validity: 'P10D', holderApp: 'Bitwarden' }, now).customer;

  it('gives another document number and a later end, never beyond what the offer fixed, and nothing else', () => {
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

  it('happens once, and not of what was suspended, revoked or ended meanwhile', () => {
    const once = renewed(held, 'c1', { ...type, validity: 'P4D', renewalWindow: 'P3D' }, 'N2', day(8)).customer;
    expect(renewed(once, 'c1', { ...type, validity: 'P4D', renewalWindow: 'P3D' }, 'N3', day(8))).toEqual({
      customer: once,
      events: [],
    });
    for (const act of ['suspend', 'revoke'] as const) {
      const over = managed(act, held, 'c1', undefined, day(8)).customer;
      expect(renewed(over, 'c1', type, 'N2', day(8))).toEqual({ customer: over, events: [] });
    }
    expect(renewed(held, 'c1', type, 'N2', day(10)).events).toEqual([]);
  });
});
