import { errors, Provider, type Client, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { webOrigins } from '@holdfast/contracts';
import type { ClientLimits } from '../clients/client-limits.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import type { SigningKey } from '../keys/key-pair.js';
import type { OrganizationProfile } from '../organizations/organizations.js';
import { issuerPath, routes, signInPagePath } from '../request-context/issuer-paths.js';
import { translateDatabaseErrors } from '../temporarily-unavailable.js';
import { issuerRequestOf } from '../request-context/issuer-request.js';
import { deriveSuccessors } from '../sessions/refresh-successors.js';
import type { SessionRevocations } from '../sessions/session-revocations.js';
import { stateAdapter } from '../sessions/state-adapter.js';
import type { StateStore } from '../sessions/state-store.js';
import { accountsOf } from './accounts.js';
import { revocationOf } from './audit/audited-request.js';
import type { IssuerAudit } from './audit/issuer-audit.js';
import type { Customers } from './customers.js';
import { renderError } from './error-page.js';
import { provideAppClients } from './issuer-clients.js';
import { cookieNames, cookieOptions, signCookies } from './issuer-cookies.js';
import { lifetimes } from './lifetimes.js';
import { nonceRule, pkceRequired, stateRule } from './request-rules.js';
import { signInPolicy } from './sign-in-policy.js';
import { acceptOnlyIdTokens } from './sign-out/id-token-hint.js';
import { revokeOnSessionEnd } from './sign-out/revoke-on-session-end.js';
import { confirmSignOut, signedOutPage } from './sign-out/sign-out.js';
import { ignoreEndedSessions } from './sign-out/ignore-ended-sessions.js';
import { storeSignInData, versionOf } from './stored-sign-in-data.js';

export const passkeyAcr = 'urn:holdfast:acr:passkey';

interface Revoked {
  kind: string;
  clientId?: string | undefined;
  accountId?: string;
  grantId?: string;
}

export interface IssuerDependencies {
  baseUrl: string;
  pepper: Buffer;
  /** Of cookies: the first signs, the others are of before a rotation. */
  cookieKeys: readonly Buffer[];
  clients: ClientRegistry;
  limits: ClientLimits;
  customers: Customers;
  store: StateStore;
  revocations: SessionRevocations;
  audit: IssuerAudit;
}

/** The OpenID issuer of one organization (product §5, "Sign-in"). */
export function createIssuerProvider(
  organization: OrganizationProfile,
  keys: SigningKey[],
  parts: IssuerDependencies,
): Provider {
  const { baseUrl, pepper, cookieKeys, clients, revocations, audit } = parts;
  const provider = new Provider(baseUrl + issuerPath(organization.shortId), configuration(organization, keys, parts));
  // Only the gateway reaches us, and it sets the forwarded headers anew (issuers.ts).
  provider.proxy = true;
  signCookies(provider, organization.shortId, cookieKeys);
  storeSignInData(provider);
  acceptOnlyIdTokens(provider);
  deriveSuccessors(provider, organization.shortId, parts.store);
  ignoreEndedSessions(provider);
  revokeOnSessionEnd(provider, organization.shortId, revocations, audit);
  provideAppClients(provider, organization.shortId, clients, parts.limits, pepper);
  return provider;
}

function configuration(organization: OrganizationProfile, keys: SigningKey[], parts: IssuerDependencies): Configuration {
  const { baseUrl, customers, store } = parts;
  const { shortId } = organization;
  const path = issuerPath(shortId);
  const cookie = cookieOptions(baseUrl);
  const off = { enabled: false };
  return {
    adapter: (model) => stateAdapter(store, shortId, model),
    jwks: { keys },
    routes,
    cookies: { names: cookieNames(shortId, baseUrl), long: cookie, short: cookie },
    acrValues: [passkeyAcr],
    scopes: ['openid'],
    claims: { openid: ['sub', 'credential', 'acr', 'amr', 'auth_time'], sid: null, iss: null },
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256'] },
    subjectTypes: ['public'],
    allowOmittingSingleRegisteredRedirectUri: false,
    clockTolerance: 5,
    pkce: { required: pkceRequired },
    extraParams: { nonce: nonceRule, state: stateRule },
    findAccount: accountsOf(shortId, customers),
    loadExistingGrant,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    // A session ends sooner than a refresh token; what ends with it, ends by signing out (sign-out.ts).
    expiresWithSession: () => false,
    ttl: lifetimes,
    interactions: { url: (_ctx, { uid }) => path + signInPagePath + uid, policy: signInPolicy() },
    // A page of ours is of no other origin, whatever the client: browsers send Origin with each POST.
    clientBasedCORS: (ctx, origin) => origin === new URL(baseUrl).origin || isOriginOfSpa(ctx, origin),
    renderError: renderError(organization),
    // Nothing that the library does needs a call to the outside, so none can be brought about (CVE-2020-10770 and its
    // kind).
    fetch: () => Promise.reject(new Error('an issuer calls nobody')),
    features: {
      devInteractions: off,
      dPoP: off,
      pushedAuthorizationRequests: off,
      resourceIndicators: off,
      // Announced only: the library would call by itself, without retries. What we send stands in src/logout.
      backchannelLogout: { enabled: true },
      userinfo: { enabled: true },
      revocation: { enabled: true, allowedPolicy: revoking(shortId, parts) },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: confirmSignOut(organization, baseUrl),
        postLogoutSuccessSource: signedOutPage(organization),
      },
    },
  };
}

/** The organization's own apps need no consent: what a customer grants an app is being known to it, by signing in. */
async function loadExistingGrant(ctx: KoaContextWithOIDC) {
  const { client, session, account, provider } = ctx.oidc;
  const known = session!.grantIdFor(client!.clientId);
  const grant = known && (await provider.Grant.find(known));
  if (grant && grant.accountId === account!.accountId) {
    // A later sign-in in this session: what comes of the grant from now on came of that one.
    if (versionOf(grant) !== versionOf(session!)) await Object.assign(grant, { version: versionOf(session!) }).save();
    return grant;
  }
  const fresh = new provider.Grant({ clientId: client!.clientId, accountId: account!.accountId });
  fresh.addOIDCScope('openid');
  await fresh.save();
  return fresh;
}

/**
 * RFC 7009 §2.1: each app its own. The library asks here before it revokes, in several steps; done here it is one, with
 * its record, and the library finds nothing more to do. An access token takes all of its grant with it but the grant
 * itself.
 */
function revoking(org: string, { revocations, audit }: IssuerDependencies) {
  return async (ctx: KoaContextWithOIDC, client: Client, token: Revoked): Promise<boolean> => {
    if (token.clientId !== client.clientId) throw new errors.InvalidRequest('the token was given to another client');
    if (token.grantId === undefined) return true;
    const request = issuerRequestOf(ctx);
    const record = audit.ofChange(request, revocationOf(request, token.accountId));
    if (await translateDatabaseErrors(revocations.revokeGrant(org, token.grantId, token.kind === 'RefreshToken', record)))
      request.change = record;
    return true;
  };
}

function isOriginOfSpa(ctx: KoaContextWithOIDC, origin: string): boolean {
  const { kind, redirectUris } = issuerRequestOf(ctx).client!.app;
  return kind === 'spa' && webOrigins(redirectUris).includes(origin);
}
