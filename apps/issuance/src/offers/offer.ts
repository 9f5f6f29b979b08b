import type { CredentialType, OfferRequest } from '@holdfast/contracts';
import { AppError, unprocessable } from '@holdfast/platform';
import { change, compose, idsOf, type Change } from '../customer/change.js';
import { closeOffers } from '../customer/close-offers.js';
import {
  isExpired,
  isOfferExpired,
  type Customer,
  type CustomerCredential,
  type CustomerOffer,
} from '../customer/customer.js';
import { credentialStateOf, next } from '../customer/transitions.js';

/** Bounds of an offer's lifetime. */
export interface OfferBounds {
  minSeconds: number;
  maxSeconds: number;
  defaultSeconds: number;
}

/** When the offer expires, and the latest expiration of the credential. @throws AppError invalid_request (422) */
export function offerTimes(
  request: OfferRequest,
  now: Date,
  { minSeconds, maxSeconds, defaultSeconds }: OfferBounds,
): { expiresAt: Date; validUntil?: Date } {
  const seconds = request.offerExpiresIn ?? defaultSeconds;
  if (seconds < minSeconds || seconds > maxSeconds) {
    throw unprocessable([{ pointer: '#/offerExpiresIn', detail: `must be ${minSeconds} to ${maxSeconds} seconds` }]);
  }
  const expiresAt = new Date(now.getTime() + seconds * 1000);
  if (request.validUntil === undefined) return { expiresAt };
  const validUntil = new Date(request.validUntil);
  // RFC 3339 §1: years have four digits. The last hours of 9999 of a zone west of Greenwich are another year in UTC.
  if (validUntil.getUTCFullYear() > 9999)
    throw unprocessable([{ pointer: '#/validUntil', detail: 'must lie before the year 10000 in UTC' }]);
  if (validUntil <= expiresAt) {
    throw unprocessable([
      { pointer: '#/validUntil', detail: 'must lie after the end of the offer, or nobody could use the credential' },
    ]);
  }
  return { expiresAt, validUntil };
}

export interface OfferIds {
  offer: string;
  credential: string;
  /** Keyed hash of the claim token. */
  tokenHash?: Buffer;
}

export interface OfferTerms {
  type: CredentialType;
  expiresAt: Date;
  validUntil?: Date;
  returnUrl?: string;
  /** Its claim adds a passkey to the credential that the customer holds. */
  adds?: boolean;
  /** The person who makes it; absent when the customer's app does. */
  person?: string;
}

/** The first offer to a new customer: ∅ → offered. */
export function firstOffer(
  who: { id: string; org: string; app: string },
  terms: OfferTerms,
  ids: OfferIds,
  now: Date,
): Change {
  return offered(
    { ...who, version: 0, createdAt: now, credentials: [], offers: [], passkeys: [] },
    undefined,
    terms,
    ids,
    now,
  );
}

/** Every event holds all credentials of the customer, and the size of a message is limited. */
const maxCredentials = 1000;

/**
 * A further offer to an existing customer. An offer of another type adds a credential. An offer of a type that the
 * customer has leads to the same credential again (recovery) and supersedes an open offer of that type. It is denied
 * with `invalid_state` while the credential is suspended, since its claim would bypass the suspension. One that adds a
 * passkey needs a live credential of its type, and the caller has checked whether the customer may add one.
 */
export function furtherOffer(customer: Customer, terms: OfferTerms, ids: OfferIds, now: Date): Change {
  const existing = customer.credentials.find((c) => c.type === terms.type.name && c.status !== 'revoked');
  if (terms.adds && (existing?.status !== 'issued' || isExpired(existing, now)))
    throw new AppError(
      'invalid_state',
      `The customer holds no live credential of the type "${terms.type.name}", so there is none to add a passkey to.`,
    );
  if (!existing && customer.credentials.length >= maxCredentials)
    throw new AppError(
      'invalid_state',
      `This customer has ${maxCredentials} credentials, the revoked ones included, and can get no more.`,
    );
  if (!existing) return offered(customer, undefined, terms, ids, now);
  return compose(
    customer,
    (c) => closeOffers(c, existing.id, 'superseded', now),
    (c) => offered(c, existing, terms, ids, now),
  );
}

function offered(
  customer: Customer,
  existing: CustomerCredential | undefined,
  terms: OfferTerms,
  ids: OfferIds,
  now: Date,
): Change {
  const status = next('offer', credentialStateOf(customer, existing, now));
  const created = newOffer(
    existing ? withinLifetime(existing, terms, now) : terms,
    { ...ids, credential: existing?.id ?? ids.credential },
    now,
  );
  const credential = existing ? onTerms({ ...existing, status }, terms, now) : { ...created.credential, status };
  const credentials = existing
    ? customer.credentials.map((c) => (c.id === existing.id ? credential : c))
    : [...customer.credentials, credential];
  const data = {
    ...idsOf(customer, credential),
    offerId: created.offer.id,
    ...(terms.adds && { adds: true as const }),
    expiresAt: created.offer.expiresAt.toISOString(),
  };
  return change(
    customer,
    { credentials, offers: [...customer.offers, created.offer] },
    { type: 'offer.created', data },
  );
}

/** The customer holds the credential, and it has not expired. */
function isLive(credential: CustomerCredential, now: Date): boolean {
  return credential.status !== 'offered' && !isExpired(credential, now);
}

/** A recovery does not change when a live credential expires, and its offer expires no later than the credential. */
function withinLifetime(existing: CustomerCredential, terms: OfferTerms, now: Date): OfferTerms {
  if (!isLive(existing, now)) return terms;
  if (terms.validUntil)
    throw unprocessable([
      {
        pointer: '#/validUntil',
        detail: 'must be left out: the customer holds this credential, and a recovery does not change its expiration',
      },
    ]);
  return existing.validUntil && existing.validUntil < terms.expiresAt
    ? { ...terms, expiresAt: existing.validUntil }
    : terms;
}

/**
 * A credential that nobody holds yet has the terms of its latest offer. An expired one gets a new expiration with its
 * claim, without the earlier `validUntil`. A live one does not change.
 */
function onTerms(existing: CustomerCredential, { type, validUntil }: OfferTerms, now: Date): CustomerCredential {
  if (isLive(existing, now)) return existing;
  const { validUntil: _, ...rest } = existing;
  return {
    ...rest,
    ...(existing.status === 'offered' && { revocable: type.revocable }),
    ...(validUntil && { validUntil }),
  };
}

/** The open offers of a customer that end with a right of their maker, each as if the maker had withdrawn it. */
export function endedOffers(
  customer: Customer,
  { maker, madeUntil, existingCustomersOnly }: { maker: string; madeUntil: Date; existingCustomersOnly: boolean },
  now: Date,
): Change {
  const ended = customer.offers.filter(
    (o) =>
      o.status === 'open' &&
      (o.person ?? customer.app) === maker &&
      !isOfferExpired(o, now) &&
      o.createdAt <= madeUntil &&
      (!existingCustomersOnly || o.createdAt > customer.createdAt),
  );
  return compose(
    customer,
    ...ended.map(
      ({ id }) =>
        (c: Customer) =>
          withdrawnOffer(c, id, now, 'maker'),
    ),
  );
}

/** An open offer is withdrawn. A credential that nobody holds yet is revoked with it. */
export function withdrawnOffer(
  customer: Customer,
  offerId: string,
  now: Date,
  cause: 'withdrawn' | 'maker' = 'withdrawn',
): Change {
  const offer = customer.offers.find((o) => o.id === offerId);
  const credential = customer.credentials.find((c) => c.id === offer?.credentialId);
  if (!offer || !credential) throw new AppError('unknown_offer');
  if (offer.status !== 'open') throw new AppError('invalid_state', `The offer is ${offer.status} already.`);
  const status = next('withdraw', credentialStateOf(customer, credential, now));
  const after: CustomerCredential = {
    ...credential,
    status,
    ...(status === 'revoked' && { revokedAt: now, revokedReason: 'withdrawn' }),
  };
  return change(
    customer,
    {
      offers: customer.offers.map((o) => (o.id === offerId ? { ...o, status: 'withdrawn' as const } : o)),
      credentials: customer.credentials.map((c) => (c.id === after.id ? after : c)),
    },
    { type: 'offer.withdrawn', data: { ...idsOf(customer, credential), offerId, cause } },
  );
}

function newOffer(
  { type, expiresAt, validUntil, returnUrl, adds = false, person }: OfferTerms,
  ids: OfferIds,
  now: Date,
): { credential: CustomerCredential; offer: CustomerOffer } {
  return {
    credential: {
      id: ids.credential,
      type: type.name,
      status: 'offered',
      revocable: type.revocable,
      createdAt: now,
      ...(validUntil && { validUntil }),
    },
    offer: {
      id: ids.offer,
      credentialId: ids.credential,
      status: 'open',
      createdAt: now,
      expiresAt,
      adds,
      expirationEmitted: false,
      ...(ids.tokenHash && { tokenHash: ids.tokenHash }),
      ...(returnUrl && { returnUrl }),
      ...(person && { person }),
    },
  };
}
