import { describe, expect, it } from '@jest/globals';
import { claimed } from '../claims/claim.js';
import { firstType } from '../credential-types/credential-type.entity.js';
import { firstOffer, furtherOffer } from '../offers/offer.js';
import { managed } from './manage.js';

const now = new Date('2026-11-21T09:00:00.000Z');
const later = new Date('2026-11-22T09:00:00.000Z');
const terms = { type: firstType, expiresAt: new Date('2026-11-24T09:00:00.000Z') };
const offered = firstOffer(
  { id: 'subject', org: 'acme', app: 'shop' },
  terms,
  { offer: 'o1', credential: 'c1' },
  now,
).customer;
const claim = { documentNumber: 'N1', passkey: { id: 'P1', createdAt: now } };
const held = claimed(offered, 'o1', claim, now).customer;
const recovering = furtherOffer(held, terms, { offer: 'o2', credential: '-' }, now).customer;
const data = { subject: 'subject', credentialId: 'c1', credentialType: 'customer' };
const errorWith = (code: string) => expect.objectContaining({ code });

describe('a suspension, resumption or revocation', () => {
  it('withdraws an open recovery, which a resumption does not reopen', () => {
    for (const action of ['suspend', 'revoke'] as const) {
      const { customer, events } = managed(action, recovering, 'c1', undefined, later);
      expect(customer.offers.map((o) => o.status)).toEqual(['claimed', 'withdrawn']);
      expect(events).toEqual([
        { type: 'offer.withdrawn', data: { ...data, offerId: 'o2', cause: 'credential' } },
        { type: action === 'suspend' ? 'credential.suspended' : 'credential.revoked', data },
      ]);
      expect(customer.version).toBe(recovering.version + 2);
    }
    const resumed = managed(
      'resume',
      managed('suspend', recovering, 'c1', undefined, later).customer,
      'c1',
      undefined,
      later,
    );
    expect(resumed.customer.offers.map((o) => o.status)).toEqual(['claimed', 'withdrawn']);
    expect(resumed.events).toEqual([{ type: 'credential.resumed', data }]);
  });

  it('stores the reason of a revocation with the credential, and no other reason', () => {
    expect(managed('revoke', held, 'c1', 'lost_device', later).customer.credentials[0]).toMatchObject({
      status: 'revoked',
      revokedAt: later,
      revokedReason: 'lost_device',
    });
    expect(managed('revoke', held, 'c1', undefined, later).customer.credentials[0]).not.toHaveProperty('revokedReason');
    expect(managed('suspend', held, 'c1', 'holiday', later).customer.credentials[0]).not.toHaveProperty(
      'revokedReason',
    );
  });

  it('revokes an offered credential with its offer, even one that is not revocable once it is claimed', () => {
    const pass = firstOffer(
      { id: 'subject', org: 'acme', app: 'shop' },
      { ...terms, type: { ...firstType, revocable: false } },
      { offer: 'o1', credential: 'c1' },
      now,
    ).customer;
    const { customer, events } = managed('revoke', pass, 'c1', undefined, later);
    expect(customer.credentials[0]!.status).toBe('revoked');
    expect(customer.offers[0]!.status).toBe('withdrawn');
    expect(events.map((t) => t.type)).toEqual(['offer.withdrawn', 'credential.revoked']);
    const issued = claimed(pass, 'o1', claim, now).customer;
    for (const action of ['suspend', 'revoke'] as const)
      expect(() => managed(action, issued, 'c1', undefined, later)).toThrow(errorWith('not_revocable'));
  });

  it('emits no event for an offer that has expired before', () => {
    const late = new Date('2026-12-24T09:00:00.000Z');
    expect(managed('revoke', recovering, 'c1', undefined, late).events.map((t) => t.type)).toEqual([
      'credential.revoked',
    ]);
  });

  it('is denied for a credential of another customer', () => {
    expect(() => managed('revoke', held, 'another', undefined, later)).toThrow(errorWith('unknown_credential'));
  });
});

describe('a claim after a revocation', () => {
  it('replaces the older passkeys, so that a stolen one does not get the new credential', () => {
    const revoked = managed('revoke', held, 'c1', 'stolen', later).customer;
    const again = furtherOffer(
      revoked,
      { ...terms, expiresAt: new Date('2026-11-25T09:00:00.000Z') },
      { offer: 'o2', credential: 'c2' },
      later,
    ).customer;
    expect(claimed(again, 'o2', { ...claim, documentNumber: 'N2' }, later)).toMatchObject({
      rekeyed: false,
      replacesPasskeys: true,
    });
    const further = furtherOffer(
      held,
      { ...terms, type: { ...firstType, name: 'membership' } },
      { offer: 'o2', credential: 'c2' },
      now,
    ).customer;
    expect(claimed(further, 'o2', { ...claim, documentNumber: 'N2' }, now)).toMatchObject({
      rekeyed: false,
      replacesPasskeys: false,
    });
  });
});
