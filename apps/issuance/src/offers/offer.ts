import type { OfferRequest } from '@holdfast/contracts';
import { AppError, unprocessable } from '@holdfast/kit';
import type { CredentialType } from '../credentials/credential-type.js';
import type { Customer, CustomerOffer, HeldCredential } from '../credentials/customer.js';

/** Seconds that an offer may live. */
export interface OfferBounds {
  min: number;
  max: number;
  fallback: number;
}

/** When the offer ends, and when at the latest what it issues does. 422 when a wish is out of bounds. */
export function offerTimes(request: OfferRequest, now: Date, { min, max, fallback }: OfferBounds): { expiresAt: Date; validUntil?: Date } {
  const seconds = request.offerExpiresIn ?? fallback;
  if (seconds < min || seconds > max) {
    throw unprocessable([{ pointer: '#/offerExpiresIn', detail: `must be ${min} to ${max} seconds` }]);
  }
  const expiresAt = new Date(now.getTime() + seconds * 1000);
  if (request.validUntil === undefined) return { expiresAt };
  const validUntil = new Date(request.validUntil);
  if (validUntil <= expiresAt) {
    throw unprocessable([{ pointer: '#/validUntil', detail: 'must lie after the end of the offer, or nobody could use the credential' }]);
  }
  return { expiresAt, validUntil };
}

export interface OfferIds {
  offer: string;
  credential: string;
}

export interface OfferTerms {
  type: CredentialType;
  expiresAt: Date;
  validUntil?: Date;
  returnUrl?: string;
}

/** A customer of whom nothing is known yet: ∅ → offered. */
export function firstOffer(who: { id: string; org: string; app: string }, terms: OfferTerms, ids: OfferIds, now: Date): Customer {
  const { credential, offer } = newOffer(terms, ids, now);
  return { ...who, version: 1, createdAt: now, credentials: [credential], offers: [offer] };
}

/**
 * A further offer to a known customer: of another type it makes another credential; of a type that the customer holds it
 * leads to the same credential again (recovery), and an open offer of that type gives way to it. `invalid_state` while
 * the credential is suspended: an offer must not be a way around a suspension.
 */
export function furtherOffer(customer: Customer, terms: OfferTerms, ids: OfferIds, now: Date): Customer {
  const held = customer.credentials.find((c) => c.type === terms.type.name && c.status !== 'revoked');
  if (held?.status === 'suspended') throw new AppError('invalid_state', `The credential of type "${held.type}" is suspended; resume it before offering it again.`);
  const { credential, offer } = newOffer(terms, { ...ids, credential: held?.id ?? ids.credential }, now);
  const offers = customer.offers.map((o) => (o.credentialId === offer.credentialId && o.status === 'open' ? { ...o, status: 'superseded' as const } : o));
  const renewed = held && withLatestEnd(held, terms.validUntil, now);
  const credentials = renewed ? customer.credentials.map((c) => (c.id === renewed.id ? renewed : c)) : [...customer.credentials, credential];
  return { ...customer, version: customer.version + 1, credentials, offers: [...offers, offer] };
}

/**
 * The latest end that an offer fixes is of a credential that nobody holds yet. One whose end has come begins anew with its
 * claim: the end of then no longer counts.
 */
function withLatestEnd(held: HeldCredential, validUntil: Date | undefined, now: Date): HeldCredential {
  const ended = held.expiresAt !== undefined && held.expiresAt <= now;
  if (!ended && (held.status !== 'offered' || !validUntil)) return held;
  const { validUntil: _, ...rest } = held;
  return { ...rest, ...(validUntil && { validUntil }) };
}

/** The app takes an offer back. An unclaimed one may always be withdrawn; with it ends a credential that nobody holds yet. */
export function withdrawnOffer(customer: Customer, offerId: string, now: Date): Customer {
  const offer = customer.offers.find((o) => o.id === offerId);
  if (!offer) throw new AppError('unknown_offer');
  if (offer.status !== 'open') throw new AppError('invalid_state', `The offer is ${offer.status} already.`);
  return {
    ...customer,
    version: customer.version + 1,
    offers: customer.offers.map((o) => (o.id === offerId ? { ...o, status: 'withdrawn' as const } : o)),
    credentials: customer.credentials.map((c) =>
      c.id === offer.credentialId && c.status === 'offered' ? { ...c, status: 'revoked' as const, revokedAt: now, revokedReason: 'withdrawn' } : c,
    ),
  };
}

function newOffer({ type, expiresAt, validUntil, returnUrl }: OfferTerms, ids: OfferIds, now: Date): { credential: HeldCredential; offer: CustomerOffer } {
  return {
    credential: { id: ids.credential, type: type.name, status: 'offered', revocable: type.revocable, createdAt: now, ...(validUntil && { validUntil }) },
    offer: { id: ids.offer, credentialId: ids.credential, status: 'open', createdAt: now, expiresAt, ...(returnUrl && { returnUrl }) },
  };
}
