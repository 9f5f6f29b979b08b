import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AppError } from '@holdfast/platform';
import { firstType } from '../credential-types/credential-type.entity.js';
import { publicState, type Customer } from '../customer/customer.js';
import { firstOffer, furtherOffer, offerTimes, withdrawnOffer, type OfferTerms } from './offer.js';

const now = new Date('2026-11-21T09:00:00.000Z');
const bounds = { minSeconds: 600, maxSeconds: 2_592_000, defaultSeconds: 259_200 };
const terms: OfferTerms = { type: firstType, expiresAt: new Date('2026-11-24T09:00:00.000Z') };
const customerIds = { id: 'subject', org: 'acme', app: 'app_shop' };
const offered = firstOffer(customerIds, terms, { offer: 'o1', credential: 'c1' }, now).customer;

describe('the lifetime of an offer', () => {
  it('is 72 hours by default', () => {
    expect(offerTimes({}, now, bounds).expiresAt.toISOString()).toBe('2026-11-24T09:00:00.000Z');
  });

  it('outside of its bounds is answered with 422 and the bounds', () => {
    for (const offerExpiresIn of [1, 599, 2_592_001]) {
      expect(() => offerTimes({ offerExpiresIn }, now, bounds)).toThrow(
        expect.objectContaining({
          status: 422,
          errors: [{ pointer: '#/offerExpiresIn', detail: 'must be 600 to 2592000 seconds' }],
        }),
      );
    }
    expect(offerTimes({ offerExpiresIn: 600 }, now, bounds).expiresAt.getTime() - now.getTime()).toBe(600_000);
  });

  it('must end before the latest expiration of the credential', () => {
    expect(offerTimes({ validUntil: '2026-12-01T00:00:00+01:00' }, now, bounds).validUntil?.toISOString()).toBe(
      '2026-11-30T23:00:00.000Z',
    );
    expect(() => offerTimes({ validUntil: '2026-11-24T09:00:00Z' }, now, bounds)).toThrow(AppError);
  });

  it('allows a latest expiration in years of four digits in UTC only', () => {
    expect(offerTimes({ validUntil: '9999-12-31T23:59:59Z' }, now, bounds).validUntil?.getUTCFullYear()).toBe(9999);
    expect(() => offerTimes({ validUntil: '9999-12-31T23:59:59-05:00' }, now, bounds)).toThrow(
      expect.objectContaining({ status: 422, errors: [expect.objectContaining({ pointer: '#/validUntil' })] }),
    );
  });
});

describe('a first offer', () => {
  it('creates a customer with one offered credential', () => {
    expect(publicState(offered)).toEqual({
      subject: 'subject',
      app: 'app_shop',
      createdAt: now.toISOString(),
      credentials: [
        {
          id: 'c1',
          credentialType: 'customer',
          status: 'offered',
          revocable: true,
          holderId: 'subject',
          createdAt: now.toISOString(),
        },
      ],
      offers: [
        {
          id: 'o1',
          credentialId: 'c1',
          status: 'open',
          createdAt: now.toISOString(),
          expiresAt: '2026-11-24T09:00:00.000Z',
        },
      ],
    });
  });
});

describe('a further offer', () => {
  const ids = { offer: 'o2', credential: 'c2' };

  it('of another type adds a credential', () => {
    const after = furtherOffer(offered, { ...terms, type: { ...firstType, name: 'membership' } }, ids, now).customer;
    expect(after.credentials.map((c) => [c.id, c.type])).toEqual([
      ['c1', 'customer'],
      ['c2', 'membership'],
    ]);
    expect(after.offers.map((o) => o.status)).toEqual(['open', 'open']);
  });

  it('of the same type leads to the same credential and supersedes the open offer', () => {
    const { customer: after, events } = furtherOffer(offered, terms, ids, now);
    expect(after.credentials).toHaveLength(1);
    expect(after.offers.map((o) => [o.id, o.credentialId, o.status])).toEqual([
      ['o1', 'c1', 'superseded'],
      ['o2', 'c1', 'open'],
    ]);
    expect(after.version).toBe(3);
    const data = { subject: 'subject', credentialId: 'c1', credentialType: 'customer' };
    expect(events).toEqual([
      { type: 'offer.withdrawn', data: { ...data, offerId: 'o1', cause: 'superseded' } },
      { type: 'offer.created', data: { ...data, offerId: 'o2', expiresAt: '2026-11-24T09:00:00.000Z' } },
    ]);
  });

  it('gives an offered credential its own terms', () => {
    const [until, later] = [new Date('2026-11-25T00:00:00.000Z'), new Date('2026-11-26T00:00:00.000Z')];
    const limited = furtherOffer(offered, { ...terms, validUntil: until }, ids, now).customer;
    expect(publicState(limited).credentials[0]!.expiresAt).toBe(until.toISOString());
    expect(limited.credentials[0]).toMatchObject({ validUntil: until, revocable: true });
    expect(
      furtherOffer(limited, { ...terms, validUntil: later }, { ...ids, offer: 'o3' }, now).customer.credentials[0]!
        .validUntil,
    ).toEqual(later);
    const again = furtherOffer(
      limited,
      { ...terms, type: { ...firstType, revocable: false } },
      { ...ids, offer: 'o3' },
      now,
    ).customer;
    expect(again.credentials[0]).toMatchObject({ id: 'c1', revocable: false });
    expect(again.credentials[0]).not.toHaveProperty('validUntil');
  });

  describe('of an issued credential', () => {
    const until = new Date('2026-11-22T00:00:00.000Z');
    const held: Customer = {
      ...offered,
      credentials: [
        {
          ...offered.credentials[0]!,
          status: 'issued',
          issuedAt: now,
          holderClaimedAt: now,
          validUntil: until,
          expiresAt: until,
        },
      ],
    };

    it('changes neither expiration nor terms, and expires with the credential', () => {
      const { customer } = furtherOffer(held, { ...terms, type: { ...firstType, revocable: false } }, ids, now);
      expect(customer.credentials).toEqual(held.credentials);
      expect(customer.offers.at(-1)!.expiresAt).toEqual(until);
    });

    it('is denied with another latest expiration', () => {
      expect(() =>
        furtherOffer(held, { ...terms, validUntil: new Date('2027-01-01T00:00:00.000Z') }, ids, now),
      ).toThrow(
        expect.objectContaining({ status: 422, errors: [expect.objectContaining({ pointer: '#/validUntil' })] }),
      );
    });

    it('removes a latest expiration that has passed', () => {
      const { customer } = furtherOffer(held, terms, ids, until);
      expect(customer.credentials[0]).not.toHaveProperty('validUntil');
      expect(customer.offers.at(-1)!.expiresAt).toEqual(terms.expiresAt);
    });
  });

  it('is denied to a customer with a thousand credentials', () => {
    const many: Customer = {
      ...offered,
      credentials: Array.from({ length: 1000 }, (_, i) => ({
        ...offered.credentials[0]!,
        id: `r${i}`,
        status: 'revoked',
        revokedAt: now,
      })),
    };
    expect(() => furtherOffer(many, terms, ids, now)).toThrow(expect.objectContaining({ code: 'invalid_state' }));
  });

  it('is denied while the credential is suspended', () => {
    const suspended: Customer = { ...offered, credentials: [{ ...offered.credentials[0]!, status: 'suspended' }] };
    expect(() => furtherOffer(suspended, terms, ids, now)).toThrow(expect.objectContaining({ code: 'invalid_state' }));
  });

  it('after a revocation adds a new credential', () => {
    const { customer: revoked } = withdrawnOffer(offered, 'o1', now);
    expect(furtherOffer(revoked, terms, ids, now).customer.credentials.map((c) => [c.id, c.status])).toEqual([
      ['c1', 'revoked'],
      ['c2', 'offered'],
    ]);
  });
});

describe('a withdrawal', () => {
  it('revokes an offered credential', () => {
    const { credentials, offers } = withdrawnOffer(offered, 'o1', now).customer;
    expect(offers[0]!.status).toBe('withdrawn');
    expect(credentials[0]).toMatchObject({ status: 'revoked', revokedAt: now, revokedReason: 'withdrawn' });
  });

  it('does not change an issued credential', () => {
    const held: Customer = {
      ...offered,
      credentials: [{ ...offered.credentials[0]!, status: 'issued', issuedAt: now, holderClaimedAt: now }],
    };
    const { customer: recovery } = furtherOffer(held, terms, { offer: 'o2', credential: 'c2' }, now);
    expect(withdrawnOffer(recovery, 'o2', now).customer.credentials[0]!.status).toBe('issued');
  });

  it('is denied the second time, and for an unknown offer', () => {
    expect(() => withdrawnOffer(withdrawnOffer(offered, 'o1', now).customer, 'o1', now)).toThrow(
      expect.objectContaining({ code: 'invalid_state' }),
    );
    expect(() => withdrawnOffer(offered, 'another', now)).toThrow(expect.objectContaining({ code: 'unknown_offer' }));
  });
});

it('a customer has one open offer and one credential per type, in any order of offers and withdrawals', () => {
  const types = ['customer', 'membership', 'day-pass'];
  const step = fc.oneof(fc.record({ offer: fc.constantFrom(...types) }), fc.record({ withdraw: fc.nat(10) }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let customer = offered;
      steps.forEach((s, i) => {
        if ('offer' in s)
          customer = furtherOffer(
            customer,
            { ...terms, type: { ...firstType, name: s.offer } },
            { offer: `o${i + 2}`, credential: `c${i + 2}` },
            now,
          ).customer;
        else {
          const open = customer.offers.filter((o) => o.status === 'open');
          if (open.length) customer = withdrawnOffer(customer, open[s.withdraw % open.length]!.id, now).customer;
        }
      });
      for (const type of types) {
        const alive = customer.credentials.filter((c) => c.type === type && c.status !== 'revoked');
        expect(alive.length).toBeLessThanOrEqual(1);
        const open = customer.offers.filter((o) => o.status === 'open' && alive.some((c) => c.id === o.credentialId));
        expect(open.length).toBe(alive.length);
      }
    }),
  );
});
