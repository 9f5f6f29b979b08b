import type { Account, KoaContextWithOIDC } from 'oidc-provider';
import type { App } from '@holdfast/contracts';
import { issuerRequestOf, requestContextOf, type IssuerRequest } from '../request-context/issuer-request.js';
import type { Customers } from './customers.js';
import type { AssignedPerson, People } from './people.js';
import { authenticationOf, passkeyOf, versionOf } from './stored-sign-in-data.js';

/** The scopes of an app that signs people in, and their claims. An app of customers is granted `openid` only. */
export const personScopes = { email: ['email'], profile: ['name'], groups: ['groups'] };

/** A token with more groups would be too long for a request that contains it, such as a sign-out. */
export const maxGroupsInIdToken = 100;

/** A customer or person who may sign in to the app. */
interface Found {
  /** Earlier sign-ins do not count. */
  since: number;
  /** The passkey of the sign-in has been removed. */
  signInEnded?: boolean;
  claims: (use: string) => object;
}

/**
 * The customer or person of a code, a token or a session. The library calls this before it accepts one. Undefined leads
 * to invalid_grant or invalid_token, and at the authorization endpoint to another sign-in or a refusal
 * (sign-in-policy.ts). Sign-ins from before a passkey was replaced or a credential suspended are not accepted.
 */
export function accountsOf(org: string, customers: Customers, people: People) {
  return async (ctx: KoaContextWithOIDC, subject: string, token?: object): Promise<Account | undefined> => {
    const request = issuerRequestOf(ctx);
    request.subject = subject;
    if (!request.client) return undefined;
    const { app } = request.client;
    const signIn = token ?? sessionSignIn(ctx);
    const [version, passkey] = [versionOf(signIn), passkeyOf(signIn)];
    const found =
      app.audience === 'people'
        ? await findPerson(people, request, app, org, subject)
        : await findCustomer(customers, request, app, org, subject, passkey);
    if (!found) return undefined;
    if (version < found.since || found.signInEnded) {
      request.denial = 'sign_in_ended';
      delete request.credential;
      return undefined;
    }
    request.version = version;
    if (passkey !== undefined) request.passkey = passkey;
    const authentication = authenticationOf(token ?? ctx.oidc.session ?? {});
    request.authentication = authentication;
    return { accountId: subject, claims: (use) => ({ sub: subject, ...found.claims(use), ...authentication }) };
  };
}

async function findCustomer(
  customers: Customers,
  request: IssuerRequest,
  { credentialType }: App,
  org: string,
  subject: string,
  passkey: string | undefined,
): Promise<Found | undefined> {
  const signIn = { subject, ...(credentialType && { credentialType }), ...(passkey !== undefined && { passkey }) };
  const customer = await customers.findLive(signIn, requestContextOf(request, org));
  if (!customer) return undefined;
  const { credential, since = 0, passkeyRemoved: signInEnded = false } = customer;
  request.credential = credential.id;
  return { since, signInEnded, claims: () => ({ credential }) };
}

async function findPerson(
  people: People,
  request: IssuerRequest,
  { clientId }: App,
  org: string,
  subject: string,
): Promise<Found | undefined> {
  const access = await people.access(subject, clientId, requestContextOf(request, org));
  if (access.state !== 'assigned') {
    request.denial = access.state;
    return undefined;
  }
  return { since: access.since, claims: (use) => personClaims(access, use) };
}

/** The library leaves out claims of scopes that were not requested. Userinfo always has all groups. */
function personClaims({ email, name, groups }: AssignedPerson, use: string): object {
  return { email, name, ...((use === 'userinfo' || groups.length <= maxGroupsInIdToken) && { groups }) };
}

/**
 * The sign-in that was just completed, or else the one that began the session. Its data stays with the session, so that
 * what results from it later has the same passkey.
 */
function sessionSignIn({ oidc }: KoaContextWithOIDC): object {
  const { result, session } = oidc as { result?: { login?: object }; session?: object };
  if (session && result?.login)
    Object.assign(session, { version: versionOf(result.login), passkey: passkeyOf(result.login) });
  return session ?? {};
}
