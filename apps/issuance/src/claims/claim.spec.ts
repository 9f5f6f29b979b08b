import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AppError } from '@holdfast/platform';
import { firstType } from '../credential-types/credential-type.entity.js';
import { publicState, type Customer, type CustomerCredential, type CustomerOffer } from '../customer/customer.js';
import { firstOffer, furtherOffer, withdrawnOffer } from '../offers/offer.js';
import { claimed, claimState } from './claim.js';

const now = new Date('2026-11-21T09:00:00.000Z');
const later = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
const terms = { type: firstType, expiresAt: later(72) };
const offered = firstOffer(
  { id: 'subject', org: 'acme', app: 'app_shop' },
  terms,
  { offer: 'o1', credential: 'c1' },
  now,
).customer;
const claim = { documentNumber: 'N1', passkey: { id: 'P1', createdAt: now } };
const errorWith = (code: string) => expect.objectContaining({ code });
const withCredential = (customer: Customer, change: Partial<CustomerCredential>): Customer => ({
  ...customer,
  credentials: customer.credentials.map((c) => ({ ...c, ...change })),
});

describe('the state of a claim', () => {
  const open = { status: 'open' as const, expiresAt: later(1) };
  it.each([
    ['open', open, { status: 'offered' }],
    ['open', open, { status: 'issued' }],
    ['expired', { ...open, expiresAt: now }, { status: 'offered' }],
    ['expired', open, { status: 'offered', validUntil: now }],
    ['expired', open, { status: 'issued', validUntil: now }],
    ['open', open, { status: 'issued', validUntil: later(1) }],
    ['withdrawn', open, { status: 'suspended' }],
    ['withdrawn', open, { status: 'revoked' }],
    ['withdrawn', { status: 'superseded', expiresAt: now }, { status: 'offered' }],
    ['withdrawn', { status: 'withdrawn', expiresAt: later(1) }, { status: 'revoked' }],
    ['claimed', { status: 'claimed', expiresAt: now }, { status: 'revoked' }],
  ] as const)('is %s of %j and %j', (state, offer, credential) =>
    expect(claimState(offer, credential, now)).toBe(state),
  );
});

describe('a claim', () => {
  it('issues the credential', () => {
    const { customer, credential, rekeyed } = claimed(
      offered,
      'o1',
      { ...claim, validity: 'P1Y', holderApp: 'Bitwarden' },
      later(1),
    );
    expect(rekeyed).toBe(false);
    expect(credential).toMatchObject({ id: 'c1', documentNumber: 'N1' });
    expect(customer.version).toBe(2);
    const state = publicState(customer);
    expect(state.offers).toEqual([]);
    expect(state.credentials).toEqual([
      {
        id: 'c1',
        credentialType: 'customer',
        status: 'issued',
        revocable: true,
        holderId: 'subject',
        createdAt: now.toISOString(),
        issuedAt: later(1).toISOString(),
        expiresAt: '2027-11-21T10:00:00.000Z',
        holderClaimedAt: later(1).toISOString(),
        holderApp: 'Bitwarden',
        holders: [{ type: 'passkey', addedAt: now.toISOString() }],
      },
    ]);
  });

  it('expires at the latest expiration that the offer fixes, if that comes first', () => {
    const until = firstOffer(
      offered,
      { ...terms, validUntil: later(100) },
      { offer: 'o1', credential: 'c1' },
      now,
    ).customer;
    expect(claimed(until, 'o1', { ...claim, validity: 'P1Y' }, now).credential.expiresAt).toEqual(later(100));
    expect(claimed(until, 'o1', claim, now).credential.expiresAt).toEqual(later(100));
    expect(claimed(offered, 'o1', claim, now).credential).not.toHaveProperty('expiresAt');
  });

  it('is denied when it is the second one, or the offer has expired, is withdrawn, superseded or unknown', () => {
    expect(() => claimed(claimed(offered, 'o1', claim, now).customer, 'o1', claim, now)).toThrow(
      errorWith('claim_spent'),
    );
    expect(() => claimed(offered, 'o1', claim, later(72))).toThrow(errorWith('claim_expired'));
    expect(claimed(offered, 'o1', claim, new Date(later(72).getTime() - 1)).rekeyed).toBe(false);
    expect(() => claimed(withdrawnOffer(offered, 'o1', now).customer, 'o1', claim, now)).toThrow(
      errorWith('claim_withdrawn'),
    );
    expect(() =>
      claimed(furtherOffer(offered, terms, { offer: 'o2', credential: 'c2' }, now).customer, 'o1', claim, now),
    ).toThrow(errorWith('claim_withdrawn'));
    expect(() => claimed(offered, 'another', claim, now)).toThrow(errorWith('unknown_claim'));
  });
});

describe('a claim of an issued credential (recovery)', () => {
  const held = claimed(offered, 'o1', { ...claim, validity: 'P1M', holderApp: 'Bitwarden' }, now).customer;
  const recovery = furtherOffer(held, terms, { offer: 'o2', credential: 'c2' }, later(1)).customer;

  it('keeps id, issuedAt and expiration, and changes document number and passkey provider', () => {
    const { customer, credential, rekeyed } = claimed(
      recovery,
      'o2',
      { ...claim, documentNumber: 'N2', validity: 'P1Y' },
      later(2),
    );
    expect(rekeyed).toBe(true);
    expect(customer.credentials).toHaveLength(1);
    expect(credential).toMatchObject({
      id: 'c1',
      status: 'issued',
      issuedAt: now,
      documentNumber: 'N2',
      holderClaimedAt: later(2),
      expiresAt: new Date('2026-12-21T09:00:00.000Z'),
    });
    expect(credential).not.toHaveProperty('holderApp');
  });

  it('replaces the passkeys, as does a claim after a revocation; a first claim and one of another type do not', () => {
    const replaces = (customer: Customer, offerId: string) =>
      claimed(customer, offerId, claim, later(2)).events.at(-1)!.replacesPasskeys ?? false;
    expect(replaces(offered, 'o1')).toBe(false);
    expect(replaces(recovery, 'o2')).toBe(true);
    const revoked = withCredential(held, { status: 'revoked', revokedAt: now });
    expect(replaces(furtherOffer(revoked, terms, { offer: 'o2', credential: 'c2' }, later(1)).customer, 'o2')).toBe(
      true,
    );
    expect(
      replaces(
        furtherOffer(
          held,
          { ...terms, type: { ...firstType, name: 'membership' } },
          { offer: 'o2', credential: 'c2' },
          later(1),
        ).customer,
        'o2',
      ),
    ).toBe(false);
  });

  it('of an expired credential gives it a new expiration, at the latest the one that this offer fixes', () => {
    const expired = later(24 * 40);
    const again = furtherOffer(
      held,
      { ...terms, expiresAt: later(24 * 43) },
      { offer: 'o2', credential: 'c2' },
      expired,
    ).customer;
    expect(claimed(again, 'o2', { ...claim, validity: 'P1M' }, expired).credential).toMatchObject({
      issuedAt: now,
      expiresAt: new Date('2027-01-31T09:00:00.000Z'),
    });
    const until = furtherOffer(
      withCredential(held, { validUntil: later(1) }),
      { ...terms, expiresAt: later(24 * 43), validUntil: later(24 * 50) },
      { offer: 'o2', credential: 'c2' },
      expired,
    ).customer;
    expect(claimed(until, 'o2', claim, expired).credential.expiresAt).toEqual(later(24 * 50));
  });

  it('is denied after a suspension or revocation that came after the offer', () => {
    for (const status of ['suspended', 'revoked'] as const) {
      expect(() => claimed(withCredential(recovery, { status }), 'o2', claim, later(2))).toThrow(
        errorWith('claim_withdrawn'),
      );
    }
  });
});

it('claims no offer twice and loses no credential, in any order of offers, claims and withdrawals', () => {
  const step = fc.record({
    what: fc.constantFrom('offer', 'claim', 'withdraw'),
    type: fc.constantFrom('customer', 'membership'),
    which: fc.nat(10),
    hours: fc.nat(100),
    until: fc.option(fc.nat(200), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let customer = offered;
      let time = now;
      const claims: { offer: CustomerOffer; credential: CustomerCredential; time: Date }[] = [];
      steps.forEach(({ what, type, which, hours, until }, i) => {
        time = new Date(time.getTime() + hours * 1_800_000);
        const offer = customer.offers[which % customer.offers.length]!;
        try {
          if (what === 'offer')
            customer = furtherOffer(
              customer,
              {
                type: { ...firstType, name: type },
                expiresAt: new Date(time.getTime() + 72 * 3_600_000),
                ...(until !== undefined && { validUntil: new Date(time.getTime() + (73 + until) * 3_600_000) }),
              },
              { offer: `o${i + 2}`, credential: `c${i + 2}` },
              time,
            ).customer;
          else if (what === 'withdraw') customer = withdrawnOffer(customer, offer.id, time).customer;
          else {
            const result = claimed(customer, offer.id, { ...claim, documentNumber: `N${i}`, validity: 'P1D' }, time);
            ({ customer } = result);
            claims.push({ offer, credential: result.credential, time });
          }
        } catch (error) {
          // A denied step changes nothing.
          if (!(error instanceof AppError)) throw error;
        }
      });
      const claimedOffers = new Set(claims.map(({ offer }) => offer.id));
      expect(claimedOffers.size).toBe(claims.length);
      for (const { offer, credential, time } of claims) {
        expect(offer.expiresAt.getTime()).toBeGreaterThan(time.getTime());
        expect(credential.expiresAt!.getTime()).toBeGreaterThan(time.getTime());
      }
      for (const c of customer.credentials) {
        expect(c.issuedAt === undefined).toBe(
          !customer.offers.some((o) => o.credentialId === c.id && claimedOffers.has(o.id)),
        );
        expect(c.status === 'issued').toBe(c.issuedAt !== undefined && c.status !== 'revoked');
      }
    }),
  );
});
