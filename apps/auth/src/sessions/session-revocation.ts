import type { AdapterPayload } from 'oidc-provider';
import { isCustomerEvent, tellsErasure, type CustomerEvent, type IssuanceEvent } from '@holdfast/contracts';

/**
 * What ends sign-ins: of a customer from before `version`, or of all time; with `credential` only those that rest on
 * it.
 */
export interface Ending {
  org: string;
  subject: string;
  version: number;
  credential?: string;
  erased: boolean;
  at: string;
}

const ofCredential: readonly CustomerEvent['type'][] = [
  'credential.suspended',
  'credential.revoked',
  'credential.expired',
];

/** Whether an event of this type can end sign-ins; offers are most of all events, and none of them does. */
export function endsSignIns(type: string): boolean {
  return !/^(offer|credential_type|presence_policy)\./.test(type);
}

/**
 * Which endings events tell of (product §5). Suspension, revocation and expiry concern the apps that sign in holders of
 * that credential. A key opens all of a customer's credentials: whatever ends the older keys concerns every app, like
 * erasing.
 */
export function endingsOf(events: readonly IssuanceEvent[]): Ending[] {
  return events.filter(isCustomerEvent).flatMap((event) => {
    const {
      type,
      org,
      subject,
      version,
      occurredAt: at,
      data,
      replacesPasskeys = type === 'credential.rekeyed',
    } = event;
    const erased = tellsErasure(event);
    const credential = typeof data?.credentialId === 'string' ? data.credentialId : undefined;
    if (ofCredential.includes(type))
      return { org, subject, version, ...(credential !== undefined && { credential }), erased, at };
    return erased || replacesPasskeys ? { org, subject, version, erased, at } : [];
  });
}

/** An app that a customer was signed in to, and its session there. */
export interface SignedIn {
  clientId: string;
  sid?: string;
}

interface Authorization {
  sid?: string;
  grantId?: string;
}

export function authorizationsOf({ authorizations }: AdapterPayload): [string, Authorization][] {
  return Object.entries((authorizations ?? {}) as Record<string, Authorization>);
}

/**
 * Where somebody was signed in, by what is stored of it: a session with its apps, or a token of one. Each once. A grant
 * outlives both, and an app may hold a session of its own as long: it is told without `sid`, of all that it has of the
 * customer (OpenID Connect Back-Channel Logout §2.4).
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
