import { change, idsAndExpirationOf, idsOf, type Change, type PendingEvent } from './change.js';
import { isExpired, isOfferExpired, type Customer, type CustomerCredential, type CustomerOffer } from './customer.js';
import { credentialStateOf, decide } from './transitions.js';

/**
 * Emits due expirations of offers and credentials, in the order in which they expired. Nothing else changes, since
 * every rule and every read compares with the clock itself (product §5). Each expiration is emitted once. Every change
 * of a customer emits the due ones first, so that events keep their order.
 */
export function expireDue(customer: Customer, now: Date): Change {
  const offers = customer.offers.filter((o) => o.status === 'open' && isOfferExpired(o, now) && !o.expirationEmitted);
  const credentials = customer.credentials.filter((c) => expirationIsDue(customer, c, now));
  const due = [
    ...offers.map((o) => ({ at: o.expiresAt, event: offerExpired(customer, o) })),
    ...credentials.map((c) => ({ at: c.expiresAt!, event: credentialExpired(customer, c) })),
  ];
  due.sort((a, b) => a.at.getTime() - b.at.getTime());
  return change(
    customer,
    {
      offers: customer.offers.map((o) => (offers.includes(o) ? { ...o, expirationEmitted: true } : o)),
      credentials: customer.credentials.map((c) =>
        credentials.includes(c) ? { ...c, expirationEmittedFor: c.expiresAt! } : c,
      ),
    },
    ...due.map(({ event }) => event),
  );
}

function expirationIsDue(customer: Customer, credential: CustomerCredential, now: Date): boolean {
  if (!isExpired(credential, now) || credential.expirationEmittedFor?.getTime() === credential.expiresAt?.getTime())
    return false;
  return 'to' in decide('expire', credentialStateOf(customer, credential, now));
}

function offerExpired(customer: Customer, offer: CustomerOffer): PendingEvent {
  const credential = customer.credentials.find((c) => c.id === offer.credentialId)!;
  return {
    type: 'offer.expired',
    data: { ...idsOf(customer, credential), offerId: offer.id },
    occurredAt: offer.expiresAt,
  };
}

function credentialExpired(customer: Customer, credential: CustomerCredential): PendingEvent {
  return {
    type: 'credential.expired',
    data: idsAndExpirationOf(customer, credential),
    occurredAt: credential.expiresAt!,
  };
}
