import type { Account, KoaContextWithOIDC } from 'oidc-provider';
import { issuerRequestOf, requestContextOf } from '../request-context/issuer-request.js';
import type { Customers } from './customers.js';
import { authenticationOf, versionOf } from './stored-sign-in-data.js';

/**
 * The customer of a code, a token or a session. The library calls this before it accepts one. Undefined leads to
 * invalid_grant or invalid_token, and at the authorization endpoint to another sign-in (sign-in-policy.ts). Sign-ins
 * from before the customer's passkey was replaced or their credential suspended are not accepted.
 */
export function accountsOf(org: string, customers: Customers) {
  return async (ctx: KoaContextWithOIDC, subject: string, token?: object): Promise<Account | undefined> => {
    const request = issuerRequestOf(ctx);
    request.subject = subject;
    const { client } = request;
    if (!client) return undefined;
    const customer = await customers.findLive(subject, client.app.credentialType, requestContextOf(request, org));
    const version = token ? versionOf(token) : sessionVersion(ctx);
    if (!customer || version < (customer.since ?? 0)) return undefined;
    const { credential } = customer;
    request.credential = credential.id;
    request.version = version;
    const authentication = authenticationOf(token ?? ctx.oidc.session ?? {});
    request.authentication = authentication;
    return { accountId: subject, claims: () => ({ sub: subject, credential, ...authentication }) };
  };
}

/** The customer's version at the sign-in that was just completed, or else at the one that began the session. */
function sessionVersion({ oidc }: KoaContextWithOIDC): number {
  const { result, session } = oidc as { result?: { login?: object }; session?: object };
  if (session && result?.login) Object.assign(session, { version: versionOf(result.login) });
  return versionOf(session ?? {});
}
