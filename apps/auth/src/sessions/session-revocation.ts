import type { AdapterPayload } from 'oidc-provider';
import { isCustomerEvent, isErasureEvent, type CustomerEvent, type IssuanceEvent } from '@holdfast/contracts';
import type { SignedIn } from '../logout/logout-notifications.js';

/**
 * Revokes what results from sign-ins of a customer or person before `version` (after an erasure: from all of them);
 * with `credential` only from those in which that credential was used.
 */
export interface SessionRevocation {
  org: string;
  subject: string;
  version: number;
  credential?: string;
  /** A passkey that was removed: only the sign-ins with it, and those of which the passkey is not known. */
  passkey?: string;
  erased: boolean;
  at: string;
}

const ofCredential: readonly CustomerEvent['type'][] = [
  'credential.suspended',
  'credential.revoked',
  'credential.expired',
];

/**
 * The session revocations that events cause (product §5). Suspension, revocation and expiration of a credential concern
 * the apps signed in to with it. A passkey gives access to all credentials of a customer, so replaced passkeys concern
 * every app, like an erasure, and a removed one those that were signed in to with it.
 */
export function revocationsOf(events: readonly IssuanceEvent[]): SessionRevocation[] {
  return events.filter(isCustomerEvent).flatMap((event) => {
    const {
      type,
      org,
      subject,
      version,
      occurredAt: at,
      data,
      removedPasskey: passkey,
      replacesPasskeys = type === 'credential.rekeyed',
    } = event;
    const erased = isErasureEvent(event);
    const credential = typeof data?.credentialId === 'string' ? data.credentialId : undefined;
    if (ofCredential.includes(type))
      return { org, subject, version, ...(credential !== undefined && { credential }), erased, at };
    // One event for each credential of the customer: the passkey is in all of them, and the second finds nothing.
    if (passkey !== undefined) return { org, subject, version, passkey, erased: false, at };
    return erased || replacesPasskeys ? { org, subject, version, erased, at } : [];
  });
}

/** An app in a session. */
export interface Authorization {
  sid?: string;
  grantId?: string;
}

export function authorizationsOf({ authorizations }: AdapterPayload): [string, Authorization][] {
  return Object.entries((authorizations ?? {}) as Record<string, Authorization>);
}

/**
 * The apps that a customer or person was signed in to according to stored sessions and tokens, each once. A grant
 * outlives both, and an app may keep a session of its own as long: it is notified without `sid`, which concerns every
 * session of theirs there (OpenID Connect Back-Channel Logout §2.4).
 */
export function signedInBy(stored: readonly { model: string; payload: AdapterPayload }[]): SignedIn[] {
  const all = stored.flatMap(({ model, payload }): SignedIn[] => {
    if (model === 'Session')
      return authorizationsOf(payload).map(([clientId, { sid }]) => ({ clientId, ...(sid && { sid }) }));
    const { clientId, sid } = payload as { clientId?: string; sid?: string };
    return clientId !== undefined && /^(Access|Refresh)Token$/.test(model) ? [{ clientId, ...(sid && { sid }) }] : [];
  });
  const known = new Set(all.map(({ clientId }) => clientId));
  const granted = stored.flatMap(({ model, payload: { clientId } }): SignedIn[] =>
    model === 'Grant' && clientId !== undefined && !known.has(clientId) ? [{ clientId }] : [],
  );
  return [...new Map([...all, ...granted].map((one) => [`${one.clientId} ${one.sid}`, one])).values()];
}
