import { change, endingOf, idsOf, type Change, type Told } from './change.js';
import { standingOf } from './credential-state.js';
import { hasEnded, ranOut, type Customer, type CustomerOffer, type HeldCredential } from './customer.js';
import { decide } from './transitions.js';

/**
 * What time did and nobody has been told of yet: offers that ran out, credentials that ended, in the order of their
 * ends. Nothing else changes, since every rule and every read looks at the clock itself (product §5). Each end is told
 * once; whoever changes a customer tells it first, so that what came before is told before.
 */
export function tellEnds(customer: Customer, now: Date): Change {
  const offers = customer.offers.filter((o) => o.status === 'open' && ranOut(o, now) && !o.endTold);
  const credentials = customer.credentials.filter((c) => endsUntold(customer, c, now));
  const told = [
    ...offers.map((o) => ({ at: o.expiresAt, told: offerExpired(customer, o) })),
    ...credentials.map((c) => ({ at: c.expiresAt!, told: credentialExpired(customer, c) })),
  ];
  told.sort((a, b) => a.at.getTime() - b.at.getTime());
  return change(
    customer,
    {
      offers: customer.offers.map((o) => (offers.includes(o) ? { ...o, endTold: true } : o)),
      credentials: customer.credentials.map((c) => (credentials.includes(c) ? { ...c, endTold: c.expiresAt! } : c)),
    },
    ...told.map((t) => t.told),
  );
}

function endsUntold(customer: Customer, credential: HeldCredential, now: Date): boolean {
  if (!hasEnded(credential, now) || credential.endTold?.getTime() === credential.expiresAt?.getTime()) return false;
  return 'to' in decide('expire', standingOf(customer, credential, now));
}

function offerExpired(customer: Customer, offer: CustomerOffer): Told {
  const credential = customer.credentials.find((c) => c.id === offer.credentialId)!;
  return {
    type: 'offer.expired',
    data: { ...idsOf(customer, credential), offerId: offer.id },
    occurredAt: offer.expiresAt,
  };
}

function credentialExpired(customer: Customer, credential: HeldCredential): Told {
  return { type: 'credential.expired', data: endingOf(customer, credential), occurredAt: credential.expiresAt! };
}
