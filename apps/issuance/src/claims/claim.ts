import type { Claim, ErrorCode } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { expirationAfter } from '../credential-types/validity.js';
import { change, idsAndExpirationOf, type Change } from '../customer/change.js';
import {
  isExpired,
  isOfferExpired,
  type Customer,
  type CustomerCredential,
  type CustomerOffer,
  type CustomerPasskey,
} from '../customer/customer.js';
import { credentialStateOf, next } from '../customer/transitions.js';
import { passkeyAdded } from '../passkeys/passkey-rules.js';

type OfferFacts = Pick<CustomerOffer, 'status' | 'expiresAt'>;
type CredentialFacts = Pick<CustomerCredential, 'status' | 'validUntil'>;

/**
 * The state of an offer as the claim page shows it. An offer is withdrawn when its credential is suspended or revoked,
 * and expired when its credential can no longer be used. `withdrawn` comes before `expired`.
 */
export function claimState(offer: OfferFacts, credential: CredentialFacts, now: Date): Claim['state'] {
  if (offer.status === 'claimed') return 'claimed';
  if (offer.status !== 'open' || credential.status === 'suspended' || credential.status === 'revoked')
    return 'withdrawn';
  const nothingLeft = credential.validUntil !== undefined && credential.validUntil <= now;
  return isOfferExpired(offer, now) || nothingLeft ? 'expired' : 'open';
}

const errors: Record<Exclude<Claim['state'], 'open'>, ErrorCode> = {
  claimed: 'claim_spent',
  expired: 'claim_expired',
  withdrawn: 'claim_withdrawn',
};

/** @throws AppError unless the offer is open */
export function requireOpen(state: Claim['state']): void {
  if (state !== 'open') throw new AppError(errors[state]);
}

export interface ClaimTerms {
  /** ISO 8601 duration of the credential's type. */
  validity?: string;
  documentNumber: string;
  /** Name of the passkey's provider, if it is known. */
  holderApp?: string;
  passkey: CustomerPasskey;
}

export interface Claimed extends Change {
  credential: CustomerCredential;
  /** The customer held the credential already (recovery). */
  rekeyed: boolean;
  /** The older passkeys stay, and nothing else of the credential changes. */
  adds: boolean;
  /** The older passkeys are removed. */
  replacesPasskeys: boolean;
}

/**
 * The customer claims: offered → issued, or issued → issued in a recovery. A recovery keeps `id` and `issuedAt` and
 * changes the document number; it changes the expiration only if that has passed. Throws when the offer is not open at
 * `now`, even if it was open when the ceremony began.
 *
 * A recovery removes the older passkeys. So does a claim after a revocation: a stolen passkey must not get the
 * credential that replaces the revoked one.
 */
export function claimed(customer: Customer, offerId: string, terms: ClaimTerms, now: Date): Claimed {
  const offer = customer.offers.find((o) => o.id === offerId);
  const before = customer.credentials.find((c) => c.id === offer?.credentialId);
  if (!offer || !before) throw new AppError('unknown_claim');
  requireOpen(claimState(offer, before, now));

  if (offer.adds) return added(customer, offerId, before, terms.passkey);
  const rekeyed = before.status === 'issued';
  const status = next(rekeyed ? 'rekey' : 'claim', credentialStateOf(customer, before, now));
  const expiresAt =
    rekeyed && !isExpired(before, now) ? before.expiresAt : expirationAfter(now, terms.validity, before.validUntil);
  const { expiresAt: _, holderApp: __, ...kept } = before;
  const credential: CustomerCredential = {
    ...kept,
    status,
    issuedAt: before.issuedAt ?? now,
    ...(expiresAt && { expiresAt }),
    holderClaimedAt: now,
    ...(terms.holderApp && { holderApp: terms.holderApp }),
    documentNumber: terms.documentNumber,
  };
  const wasRevoked = customer.credentials.some(
    (c) => c.type === credential.type && c.status === 'revoked' && c.issuedAt !== undefined,
  );
  const replacesPasskeys = rekeyed || wasRevoked;
  const { passkey } = terms;
  return {
    rekeyed,
    adds: false,
    replacesPasskeys,
    credential,
    ...change(
      customer,
      {
        offers: claimedOffer(customer, offerId),
        credentials: customer.credentials.map((c) => (c.id === credential.id ? credential : c)),
        passkeys: replacesPasskeys ? [passkey] : [...customer.passkeys, passkey],
      },
      {
        type: rekeyed ? 'credential.rekeyed' : 'credential.issued',
        data: idsAndExpirationOf(customer, credential),
        ...(replacesPasskeys && { replacesPasskeys }),
      },
    ),
  };
}

/** The claim of an offer that adds a passkey. The caller has checked whether the customer may add one. */
function added(customer: Customer, offerId: string, credential: CustomerCredential, passkey: CustomerPasskey): Claimed {
  const change = passkeyAdded({ ...customer, offers: claimedOffer(customer, offerId) }, passkey);
  return { rekeyed: false, adds: true, replacesPasskeys: false, credential, ...change };
}

function claimedOffer({ offers }: Customer, offerId: string): CustomerOffer[] {
  return offers.map((o) => (o.id === offerId ? { ...o, status: 'claimed' as const } : o));
}
