import { describe, expect, it } from '@jest/globals';
import { claimed } from '../claims/claim.js';
import { firstType } from '../credential-types/credential-type.entity.js';
import { managed } from '../credentials/manage.js';
import { expireDue } from '../customer/expiration.js';
import { firstOffer, furtherOffer } from '../offers/offer.js';

const now = new Date('2026-11-21T09:00:00.000Z');
const passkey = { id: 'P1', createdAt: now };
const day = (n: number, ms = 0) => new Date(now.getTime() + n * 86_400_000 + ms);
const type = { ...firstType, validity: 'P1D' };
const offered = firstOffer(
  { id: 's', org: 'acme', app: 'shop' },
  { type, expiresAt: day(3) },
  { offer: 'o1', credential: 'c1' },
  now,
).customer;
const held = claimed(offered, 'o1', { passkey, documentNumber: 'N1', validity: 'P1D' }, now).customer;
const data = { subject: 's', credentialId: 'c1', credentialType: 'customer' };

describe('expireDue', () => {
  it('emits an expiration at its time and not a moment before, once', () => {
    expect(expireDue(offered, day(3, -1))).toEqual({ customer: offered, events: [] });
    const { customer, events } = expireDue(offered, day(3));
    expect(events).toEqual([{ type: 'offer.expired', data: { ...data, offerId: 'o1' }, occurredAt: day(3) }]);
    expect(customer).toMatchObject({ version: 2, offers: [{ status: 'open' }], credentials: [{ status: 'offered' }] });
    expect(expireDue(customer, day(9)).events).toEqual([]);

    const expired = expireDue(held, day(1));
    expect(expired.events).toEqual([
      { type: 'credential.expired', data: { ...data, expiresAt: day(1).toISOString() }, occurredAt: day(1) },
    ]);
    expect(expireDue(expired.customer, day(2)).events).toEqual([]);
  });

  it('emits the expiration of a credential again after a new claim', () => {
    const expired = expireDue(held, day(1)).customer;
    const again = furtherOffer(expired, { type, expiresAt: day(4) }, { offer: 'o2', credential: '-' }, day(2)).customer;
    const claimedAgain = claimed(again, 'o2', { passkey, documentNumber: 'N2', validity: 'P1D' }, day(3)).customer;
    expect(expireDue(claimedAgain, day(3)).events).toEqual([]);
    expect(expireDue(claimedAgain, day(4)).events).toEqual([
      { type: 'credential.expired', data: { ...data, expiresAt: day(4).toISOString() }, occurredAt: day(4) },
    ]);
  });

  it('emits the expiration of a suspended credential, but of no revoked one and no closed offer', () => {
    expect(
      expireDue(managed('suspend', held, 'c1', undefined, now).customer, day(1)).events.map((e) => e.type),
    ).toEqual(['credential.expired']);
    expect(expireDue(managed('revoke', held, 'c1', undefined, now).customer, day(1)).events).toEqual([]);
    expect(expireDue(managed('revoke', offered, 'c1', undefined, now).customer, day(3)).events).toEqual([]);
  });

  it('emits expirations in the order of their times', () => {
    const both = furtherOffer(
      held,
      { type: { ...type, name: 'pass' }, expiresAt: day(0.5) },
      { offer: 'o2', credential: 'c2' },
      now,
    ).customer;
    expect(expireDue(both, day(5)).events.map((e) => e.type)).toEqual(['offer.expired', 'credential.expired']);
  });
});
