import { change, idsOf, type Change } from './change.js';
import { isOfferExpired, type Customer, type CustomerOffer } from './customer.js';

/**
 * Closes the open offers of a credential: superseded by a later one, or withdrawn with the credential (product §5).
 * Expired offers are closed without an event, since their expiration has been emitted.
 */
export function closeOffers(
  customer: Customer,
  credentialId: string,
  cause: 'superseded' | 'credential',
  now: Date,
): Change {
  const open = (o: CustomerOffer) => o.credentialId === credentialId && o.status === 'open';
  const events = customer.offers
    .filter((o) => open(o) && !isOfferExpired(o, now))
    .map((o) => {
      const credential = customer.credentials.find((c) => c.id === credentialId)!;
      return { type: 'offer.withdrawn' as const, data: { ...idsOf(customer, credential), offerId: o.id, cause } };
    });
  const status = cause === 'superseded' ? ('superseded' as const) : ('withdrawn' as const);
  return change(customer, { offers: customer.offers.map((o) => (open(o) ? { ...o, status } : o)) }, ...events);
}
