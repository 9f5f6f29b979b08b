import { Provider, type KoaContextWithOIDC } from 'oidc-provider';
import { translateDatabaseErrors } from '../../temporarily-unavailable.js';
import { issuerRequestOf } from '../../request-context/issuer-request.js';
import type { SessionRevocations } from '../../sessions/session-revocations.js';
import { signOutOf } from '../audit/audited-request.js';
import type { IssuerAudit } from '../audit/issuer-audit.js';

interface EndingSession {
  uid: string;
  accountId?: string;
  destroy: (this: EndingSession) => Promise<void>;
}

/**
 * Whatever ends a session (signing out, or another customer in the same browser) ends what came of it, and its apps are
 * told: these refresh tokens were not asked for as offline access. The record of a sign-out commits with it.
 */
export function revokeOnSessionEnd(
  provider: Provider,
  org: string,
  revocations: SessionRevocations,
  audit: IssuerAudit,
): void {
  const prototype = provider.Session.prototype as unknown as EndingSession;
  const { destroy } = prototype;
  prototype.destroy = async function () {
    const { ctx } = Provider;
    const signsOut = ctx?.oidc.route.startsWith('end_session') && this.accountId !== undefined;
    const record = signsOut ? audit.ofChange(issuerRequestOf(ctx), signOutOf(this.accountId!)) : undefined;
    const ended = await translateDatabaseErrors(revocations.revokeSession(org, this.uid, askedBy(ctx), record));
    if (ended && record) issuerRequestOf(ctx).change = record;
    await destroy.call(this);
  };
}

/** The app that proved by an ID token that it asks for the sign-out: it knows. */
function askedBy(ctx: KoaContextWithOIDC | undefined): string | undefined {
  const oidc = ctx?.oidc;
  return oidc?.entities.IdTokenHint ? oidc.client?.clientId : undefined;
}
