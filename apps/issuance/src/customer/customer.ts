import type { Credential, SubjectState } from '@holdfast/contracts';

/**
 * A customer: the credentials, and the offers that lead to them. Rules are pure functions of it; the time is an
 * argument.
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
  /** They sign in with every credential of the customer. Oldest first. */
  passkeys: CustomerPasskey[];
}

/** A passkey, as far as rules and events need it. */
export interface CustomerPasskey {
  /** passkeyIdOf() of its credential id. */
  id: string;
  createdAt: Date;
}

export interface CustomerCredential {
  id: string;
  type: string;
  status: 'offered' | 'issued' | 'suspended' | 'revoked';
  revocable: boolean;
  createdAt: Date;
  /** The latest expiration, fixed by the offer; the type's validity may make it earlier. */
  validUntil?: Date;
  issuedAt?: Date;
  expiresAt?: Date;
  revokedAt?: Date;
  revokedReason?: string;
  holderClaimedAt?: Date;
  holderApp?: string;
  /** Appears in the customer's tokens only. Every claim and renewal sets another one. */
  documentNumber?: string;
  /** The `expiresAt` of which the expiration has been emitted. A renewal sets another one, which can expire too. */
  expirationEmittedFor?: Date;
}

export interface CustomerOffer {
  id: string;
  credentialId: string;
  status: 'open' | 'claimed' | 'withdrawn' | 'superseded';
  createdAt: Date;
  expiresAt: Date;
  returnUrl?: string;
  /** Its claim adds a passkey to the credential. */
  adds: boolean;
  /** Keyed hash of the claim token: in a new offer only, since it is never read back. */
  tokenHash?: Buffer;
  /** The expiration has been emitted. */
  expirationEmitted: boolean;
  /** The person who made it, while it is open; absent when the app of the customer did. */
  person?: string;
}

/** A credential is expired from the moment of its `expiresAt` on, and never without one. */
export function isExpired({ expiresAt }: Pick<CustomerCredential, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

export function isOfferExpired({ expiresAt }: Pick<CustomerOffer, 'expiresAt'>, now: Date): boolean {
  return expiresAt <= now;
}

/** The customer holds it, and can use it again at some time. */
export function isHeld({ status }: Pick<CustomerCredential, 'status'>): boolean {
  return status === 'issued' || status === 'suspended';
}

const iso = (date: Date) => date.toISOString();

/** The state that events carry. */
export function publicState({ id, app, createdAt, credentials, offers, passkeys }: Customer): SubjectState {
  return {
    subject: id,
    app,
    createdAt: iso(createdAt),
    credentials: credentials.map((c) => publicCredential(c, id, passkeys)),
    // Every event carries the open offers only: nobody needs the others, and their number has no bound.
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

/** Of an offered credential, the latest expiration that the offer fixed; the type's validity may make it earlier. */
function publicExpiration({ status, expiresAt, validUntil }: CustomerCredential): { expiresAt?: string } {
  const expiration = expiresAt ?? (status === 'offered' ? validUntil : undefined);
  return expiration ? { expiresAt: iso(expiration) } : {};
}

/** A credential as the API shows it. */
export function publicCredential(
  c: CustomerCredential,
  holderId: string,
  passkeys: readonly Pick<CustomerPasskey, 'createdAt'>[],
): Credential {
  return {
    id: c.id,
    credentialType: c.type,
    status: c.status,
    ...(c.issuedAt && { issuedAt: iso(c.issuedAt) }),
    ...publicExpiration(c),
    ...(c.revokedAt && { revokedAt: iso(c.revokedAt) }),
    ...(c.revokedReason && { revokedReason: c.revokedReason }),
    revocable: c.revocable,
    holderId,
    ...(c.holderClaimedAt && { holderClaimedAt: iso(c.holderClaimedAt) }),
    ...(c.holderApp && { holderApp: c.holderApp }),
    ...(isHeld(c) && { holders: passkeys.map(({ createdAt }) => ({ type: 'passkey', addedAt: iso(createdAt) })) }),
    createdAt: iso(c.createdAt),
  };
}
