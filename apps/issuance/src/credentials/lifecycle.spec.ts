import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AppError } from '@holdfast/platform';
import { claimed } from '../claims/claim.js';
import { firstType } from '../credential-types/credential-type.entity.js';
import { compose, type Change, type PendingEvent } from '../customer/change.js';
import { isExpired, type Customer } from '../customer/customer.js';
import { expireDue } from '../customer/expiration.js';
import { firstOffer, furtherOffer, withdrawnOffer } from '../offers/offer.js';
import { renewed } from '../sign-in/renewal.js';
import { managed } from './manage.js';

const start = new Date('2026-11-21T09:00:00.000Z');
const dataOf = ({ data }: PendingEvent): Partial<Record<string, string>> => data ?? {};
const hours = (from: Date, n: number) => new Date(from.getTime() + n * 3_600_000);
const types = {
  customer: { ...firstType, validity: 'P3D', renewalWindow: 'P1D' },
  pass: { ...firstType, name: 'pass', validity: 'P2D', revocable: false },
};
const terms = (type: 'customer' | 'pass', now: Date) => ({ type: types[type], expiresAt: hours(now, 24) });

interface Step {
  what: 'offer' | 'claim' | 'withdraw' | 'suspend' | 'resume' | 'revoke' | 'renew' | 'time';
  type: 'customer' | 'pass';
  which: number;
  hours: number;
}

/** Applies a step after the due expirations, as every handler does. */
function applied({ what, type, which }: Step, customer: Customer, now: Date, i: number): Change {
  const offer = customer.offers[which % customer.offers.length]!;
  const credential = customer.credentials[which % customer.credentials.length]!;
  return compose(
    customer,
    (c) => expireDue(c, now),
    (c) => {
      if (what === 'time') return { customer: c, events: [] };
      if (what === 'offer') return furtherOffer(c, terms(type, now), { offer: `o${i}`, credential: `c${i}` }, now);
      if (what === 'claim')
        return claimed(
          c,
          offer.id,
          { documentNumber: `N${i}`, validity: types[type].validity, passkey: { id: `P${i}`, createdAt: now } },
          now,
        );
      if (what === 'withdraw') return withdrawnOffer(c, offer.id, now);
      if (what === 'renew') return renewed(c, credential.id, types.customer, `N${i}`, now);
      return managed(what, c, credential.id, undefined, now);
    },
  );
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom('offer', 'claim', 'claim', 'withdraw', 'suspend', 'resume', 'revoke', 'renew', 'time'),
  type: fc.constantFrom('customer', 'pass'),
  which: fc.nat(8),
  hours: fc.nat(30),
});

it('a customer satisfies the invariants after any steps in any order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let now = start;
      let { customer } = firstOffer(
        { id: 'subject', org: 'acme', app: 'shop' },
        terms('customer', now),
        { offer: 'o', credential: 'c' },
        now,
      );
      const events: string[] = [];
      steps.forEach((s, i) => {
        now = hours(now, s.hours);
        const before = customer;
        let change: Change;
        try {
          change = applied(s, before, now, i);
        } catch (error) {
          // A denied step changes nothing.
          if (error instanceof AppError) return;
          throw error;
        }
        ({ customer } = change);
        // One version for each event, and no change without an event.
        expect(customer.version).toBe(before.version + change.events.length);
        expect(change.events.length === 0 ? customer : before).toEqual(before);
        for (const old of before.credentials) {
          const c = customer.credentials.find(({ id }) => id === old.id)!;
          expect(old.status === 'revoked' ? c : old).toEqual(old);
          expect(old.issuedAt && c.issuedAt).toEqual(old.issuedAt);
          expect(!old.revocable && old.status === 'issued' ? c.status : 'issued').toBe('issued');
          const replaced = change.events.some(
            (t) =>
              ['credential.issued', 'credential.renewed', 'credential.rekeyed'].includes(t.type) &&
              dataOf(t).credentialId === c.id,
          );
          expect(c.documentNumber !== old.documentNumber).toBe(replaced);
          expect(c.holderClaimedAt !== old.holderClaimedAt).toBe(replaced && s.what === 'claim');
          const isRenewed = s.what === 'renew' && replaced;
          expect(isRenewed ? c.expiresAt!.getTime() - old.expiresAt!.getTime() : 1).toBeGreaterThan(0);
        }
        events.push(
          ...change.events
            .filter((t) => t.type.endsWith('.expired'))
            .map((t) => `${t.type} ${dataOf(t).offerId ?? `${dataOf(t).credentialId} ${dataOf(t).expiresAt}`}`),
        );

        for (const c of customer.credentials) {
          const open = customer.offers.filter((o) => o.credentialId === c.id && o.status === 'open');
          expect(open.length).toBeLessThanOrEqual(1);
          expect(c.status === 'suspended' || c.status === 'revoked' ? open : []).toEqual([]);
          // The step after an expiration has emitted it.
          const isEmitted = isExpired(c, now) && c.status !== 'revoked';
          expect(isEmitted ? c.expirationEmittedFor : c.expiresAt).toEqual(c.expiresAt);
        }
        for (const type of ['customer', 'pass'])
          expect(
            customer.credentials.filter((c) => c.type === type && c.status !== 'revoked').length,
          ).toBeLessThanOrEqual(1);
      });
      // Each expiration is emitted once.
      expect(new Set(events).size).toBe(events.length);
    }),
    { numRuns: 200 },
  );
});
