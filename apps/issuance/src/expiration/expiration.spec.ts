import { describe, expect, it } from '@jest/globals';
import { claimed } from '../claims/claim.js';
import { firstType } from '../credential-types/credential-type.entity.js';
import { managed } from '../credentials/manage.js';
import { expireDue } from '../customer/expiration.js';
import { firstOffer, furtherOffer } from '../offers/offer.js';

const now = new Date('2026-11-21T09:00:00.000Z');
const day = (n: number, ms = 0) => new Date(now.getTime() + n * 86_400_000 + ms);
const type = { ...firstType, validity: 'P1D' };
const offered = firstOffer(
  { id: 's', org: 'acme', app: 'shop' },
  { type, expiresAt: day(3) },
  { offer: 'o1', credential: 'c1' },
  now,
).customer;
const held = claimed(offered, 'o1', { documentNumber: 'N1', validity: 'P1D' }, now).customer;
const data = { subject: 's', credentialId: 'c1', credentialType: 'customer' };

describe('telling of ends', () => {
  it('comes at the end and not a moment before, and once', () => {
    expect(expireDue(offered, day(3, -1))).toEqual({ customer: offered, events: [] });
    const { customer, events } = expireDue(offered, day(3));
    expect(events).toEqual([{ type: 'offer.expired', data: { ...data, offerId: 'o1' }, occurredAt: day(3) }]);
    expect(customer).toMatchObject({ version: 2, offers: [{ status: 'open' }], credentials: [{ status: 'offered' }] });
    expect(expireDue(customer, day(9)).events).toEqual([]);

    const ended = expireDue(held, day(1));
    expect(ended.events).toEqual([
      { type: 'credential.expired', data: { ...data, expiresAt: day(1).toISOString() }, occurredAt: day(1) },
    ]);
    expect(expireDue(ended.customer, day(2)).events).toEqual([]);
  });

  it('comes once for each end: what is offered again ends again', () => {
    const ended = expireDue(held, day(1)).customer;
    const again = furtherOffer(ended, { type, expiresAt: day(4) }, { offer: 'o2', credential: '-' }, day(2)).customer;
    const anew = claimed(again, 'o2', { documentNumber: 'N2', validity: 'P1D' }, day(3)).customer;
    expect(expireDue(anew, day(3)).events).toEqual([]);
    expect(expireDue(anew, day(4)).events).toEqual([
      { type: 'credential.expired', data: { ...data, expiresAt: day(4).toISOString() }, occurredAt: day(4) },
    ]);
  });

  it('is of what is suspended too, not of what is revoked, claimed or taken back', () => {
    expect(
      expireDue(managed('suspend', held, 'c1', undefined, now).customer, day(1)).events.map((t) => t.type),
    ).toEqual(['credential.expired']);
    expect(expireDue(managed('revoke', held, 'c1', undefined, now).customer, day(1)).events).toEqual([]);
    expect(expireDue(managed('revoke', offered, 'c1', undefined, now).customer, day(3)).events).toEqual([]);
  });

  it('keeps the order in which they came', () => {
    const both = furtherOffer(
      held,
      { type: { ...type, name: 'pass' }, expiresAt: day(0.5) },
      { offer: 'o2', credential: 'c2' },
      now,
    ).customer;
    expect(expireDue(both, day(5)).events.map((t) => t.type)).toEqual(['offer.expired', 'credential.expired']);
  });
});
