import type { Credential, SubjectState } from '@holdfast/contracts';

/**
 * One customer as issuance holds it: the credentials, and the offers that lead to them. Rules are pure functions over
 * it; times are arguments.
 */
export interface Customer {
  id: string;
  org: string;
  /** The app that made the first offer, and the only one that sees this customer. */
  app: string;
  /** Counts changes: projections apply what is newer. */
  version: number;
  createdAt: Date;
  credentials: CustomerCredential[];
  offers: CustomerOffer[];
}

export interface CustomerCredential {
  id: string;
  type: string;
  status: 'offered' | 'issued' | 'suspended' | 'revoked';
  revocable: boolean;
  createdAt: Date;
  /** A latest end that the offer fixed; the type's validity may end it earlier. */
  validUntil?: Date;
  issuedAt?: Date;
  expiresAt?: Date;
  revokedAt?: Date;
  revokedReason?: string;
  holderClaimedAt?: Date;
  holderApp?: string;
  /** Of the holder's tokens alone: another one with every claim and renewal. */
  documentNumber?: string;
  /** The end of which everybody has been told. A renewal sets another end, which can come in its turn. */
  expirationEmittedFor?: Date;
}

export interface CustomerOffer {
  id: string;
  credentialId: string;
  status: 'open' | 'claimed' | 'withdrawn' | 'superseded';
  createdAt: Date;
  expiresAt: Date;
  returnUrl?: string;
  /** Everybody has been told that it ran out. */
  expirationEmitted: boolean;
}

/** A credential past its end; without an end it has none to pass. What ends at a second is over at that second. */
export function isExpired({ expiresAt }: Pick<CustomerCredential, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** An offer past its end. */
export function isOfferExpired({ expiresAt }: Pick<CustomerOffer, 'expiresAt'>, now: Date): boolean {
  return expiresAt <= now;
}

const iso = (date: Date) => date.toISOString();

/** What everybody else may know: the state that events carry. */
export function publicState({ id, app, createdAt, credentials, offers }: Customer): SubjectState {
  return {
    subject: id,
    app,
    createdAt: iso(createdAt),
    credentials: credentials.map((c) => publicCredential(c, id)),
    // Every event carries this: of the others nobody asks, and there is no end to how many they may become.
    offers: offers
      .filter((o) => o.status === 'open')
      .map((o) => ({
        id: o.id,
        credentialId: o.credentialId,
        status: o.status,
        createdAt: iso(o.createdAt),
        expiresAt: iso(o.expiresAt),
      })),
  };
}

/**
 * Of what is offered the latest end, where the offer has fixed one; a claim may set an earlier one by the type's
 * validity.
 */
function endShown({ status, expiresAt, validUntil }: CustomerCredential): { expiresAt?: string } {
  const end = expiresAt ?? (status === 'offered' ? validUntil : undefined);
  return end ? { expiresAt: iso(end) } : {};
}

/** As the API shows it. */
export function publicCredential(c: CustomerCredential, holderId: string): Credential {
  return {
    id: c.id,
    credentialType: c.type,
    status: c.status,
    ...(c.issuedAt && { issuedAt: iso(c.issuedAt) }),
    ...endShown(c),
    ...(c.revokedAt && { revokedAt: iso(c.revokedAt) }),
    ...(c.revokedReason && { revokedReason: c.revokedReason }),
    revocable: c.revocable,
    holderId,
    ...(c.holderClaimedAt && { holderClaimedAt: iso(c.holderClaimedAt) }),
    ...(c.holderApp && { holderApp: c.holderApp }),
    createdAt: iso(c.createdAt),
  };
}
