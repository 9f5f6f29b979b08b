import { Provider } from 'oidc-provider';
import { issuerRequestOf } from '../../request-context/issuer-request.js';
import type { SessionRevocations } from '../../sessions/session-revocations.js';
import { translateDatabaseErrors } from '../../temporarily-unavailable.js';
import { signOutOf } from '../audit/audited-request.js';
import type { IssuerAudit } from '../audit/issuer-audit.js';

interface EndingSession {
  uid: string;
  accountId?: string;
  destroy: (this: EndingSession) => Promise<void>;
}

/**
 * Revokes grants and tokens with their session and notifies its apps, when a customer or person signs out or another
 * one signs in in the same browser. Refresh tokens are revoked too, since apps did not request them for offline
 * access. The record of a sign-out commits with it.
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
    const record = signsOut
      ? audit.recordOfChange(issuerRequestOf(ctx), signOutOf({ ...issuerRequestOf(ctx), subject: this.accountId! }))
      : undefined;
    const revoked = await translateDatabaseErrors(revocations.revokeSession(org, this.uid, record));
    if (revoked && record) issuerRequestOf(ctx).change = record;
    await destroy.call(this);
  };
}
