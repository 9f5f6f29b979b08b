import type { Account, KoaContextWithOIDC } from 'oidc-provider';
import { requestContextOf, issuerRequestOf } from '../request-context/issuer-request.js';
import type { Customers } from './customers.js';
import { authenticationOf, versionOf } from './stored-sign-in-data.js';

/**
 * The customer for whom a code, a token or a session speaks. The library asks whenever it is about to believe one, and
 * undefined refuses: invalid_grant, invalid_token, and at the authorization endpoint another sign-in (see policy.ts).
 * A sign-in from before the customer's key was replaced, or their credential suspended, is over, though they may sign
 * in again.
 */
export function accountsOf(org: string, customers: Customers) {
  return async (ctx: KoaContextWithOIDC, subject: string, token?: object): Promise<Account | undefined> => {
    const request = issuerRequestOf(ctx);
    request.subject = subject;
    const { client } = request;
    if (!client) return undefined;
    const live = await customers.live(subject, client.app.credentialType, requestContextOf(request, org));
    const version = token ? versionOf(token) : sessionVersion(ctx);
    if (!live || version < (live.since ?? 0)) return undefined;
    const { credential } = live;
    request.credential = credential.id;
    request.version = version;
    const authentication = authenticationOf(token ?? ctx.oidc.session ?? {});
    request.authentication = authentication;
    return { accountId: subject, claims: () => ({ sub: subject, credential, ...authentication }) };
  };
}

/** Of the sign-in that has just come back from its page, or else of the one that began the session. */
function sessionVersion({ oidc }: KoaContextWithOIDC): number {
  const { result, session } = oidc as { result?: { login?: object }; session?: object };
  if (session && result?.login) Object.assign(session, { version: versionOf(result.login) });
  return versionOf(session ?? {});
}
