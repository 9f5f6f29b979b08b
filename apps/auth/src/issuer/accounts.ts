import type { Account, KoaContextWithOIDC } from 'oidc-provider';
import { callContextOf, tokenRequestOf } from '../provider/token-request.js';
import type { Customers } from './customers.js';

/**
 * The customer for whom a code, a token or a session speaks. The library asks whenever it is about to believe one, and
 * undefined refuses: invalid_grant, invalid_token, and at the authorization endpoint another sign-in (see policy.ts).
 */
export function accountsOf(org: string, customers: Customers) {
  return async (ctx: KoaContextWithOIDC, subject: string): Promise<Account | undefined> => {
    const request = tokenRequestOf(ctx);
    request.subject = subject;
    const { client } = request;
    if (!client) return undefined;
    const credential = await customers.liveCredential(subject, client.app.credentialType, callContextOf(request, org));
    if (!credential) return undefined;
    request.credential = credential.id;
    return { accountId: subject, claims: () => ({ sub: subject, credential }) };
  };
}
