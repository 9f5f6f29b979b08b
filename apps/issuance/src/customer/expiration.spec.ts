import { describe, expect, it } from '@jest/globals';
import { claimed } from '../claims/claim.js';
import { firstType } from '../credential-types/credential-type.js';
import { managed } from '../credentials/manage.js';
import { firstOffer, furtherOffer } from '../offers/offer.js';
import { tellEnds } from './expiration.js';

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
    expect(tellEnds(offered, day(3, -1))).toEqual({ customer: offered, told: [] });
    const { customer, told } = tellEnds(offered, day(3));
    expect(told).toEqual([{ type: 'offer.expired', data: { ...data, offerId: 'o1' }, occurredAt: day(3) }]);
    expect(customer).toMatchObject({ version: 2, offers: [{ status: 'open' }], credentials: [{ status: 'offered' }] });
    expect(tellEnds(customer, day(9)).told).toEqual([]);

    const ended = tellEnds(held, day(1));
    expect(ended.told).toEqual([
      { type: 'credential.expired', data: { ...data, expiresAt: day(1).toISOString() }, occurredAt: day(1) },
    ]);
    expect(tellEnds(ended.customer, day(2)).told).toEqual([]);
  });

  it('comes once for each end: what is offered again ends again', () => {
    const ended = tellEnds(held, day(1)).customer;
    const again = furtherOffer(ended, { type, expiresAt: day(4) }, { offer: 'o2', credential: '-' }, day(2)).customer;
    const anew = claimed(again, 'o2', { documentNumber: 'N2', validity: 'P1D' }, day(3)).customer;
    expect(tellEnds(anew, day(3)).told).toEqual([]);
    expect(tellEnds(anew, day(4)).told).toEqual([
      { type: 'credential.expired', data: { ...data, expiresAt: day(4).toISOString() }, occurredAt: day(4) },
    ]);
  });

  it('is of what is suspended too, not of what is revoked, claimed or taken back', () => {
    expect(tellEnds(managed('suspend', held, 'c1', undefined, now).customer, day(1)).told.map((t) => t.type)).toEqual([
      'credential.expired',
    ]);
    expect(tellEnds(managed('revoke', held, 'c1', undefined, now).customer, day(1)).told).toEqual([]);
    expect(tellEnds(managed('revoke', offered, 'c1', undefined, now).customer, day(3)).told).toEqual([]);
  });

  it('keeps the order in which they came', () => {
    const both = furtherOffer(
      held,
      { type: { ...type, name: 'pass' }, expiresAt: day(0.5) },
      { offer: 'o2', credential: 'c2' },
      now,
    ).customer;
    expect(tellEnds(both, day(5)).told.map((t) => t.type)).toEqual(['offer.expired', 'credential.expired']);
  });
});
