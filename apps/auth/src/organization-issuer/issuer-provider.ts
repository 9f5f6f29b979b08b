import { errors, Provider, type Client, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { proofAlgorithms, webOrigins } from '@holdfast/contracts';
import {
  assertionRule,
  clockToleranceSeconds,
  countFailedAssertions,
} from '../client-authentication/client-assertions.js';
import type { ClientKeys } from '../client-authentication/client-keys.js';
import { acceptOnce } from '../client-authentication/one-time-use.js';
import { dpopFeature } from '../client-authentication/proof-of-possession.js';
import type { SecretHashes } from '../client-authentication/secret-hashes.js';
import type { ClientLimits } from '../clients/client-limits.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import type { SigningKey } from '../keys/key-pair.js';
import type { OrganizationProfile } from '../organizations/organizations.js';
import { issuerPath, routes, signInPagePath } from '../request-context/issuer-paths.js';
import { issuerRequestOf } from '../request-context/issuer-request.js';
import { deriveSuccessors } from '../sessions/refresh-successors.js';
import type { SessionRevocations } from '../sessions/session-revocations.js';
import { stateAdapter } from '../sessions/state-adapter.js';
import type { StateStore } from '../sessions/state-store.js';
import { translateDatabaseErrors } from '../temporarily-unavailable.js';
import { addAccessTokenHash } from './access-token-hash.js';
import { accountsOf, personScopes } from './accounts.js';
import { revocationOf } from './audit/audited-request.js';
import type { IssuerAudit } from './audit/issuer-audit.js';
import type { Customers } from './customers.js';
import { deviceFlow } from './device-flow.js';
import { renderError } from './error-page.js';
import { provideAppClients } from './issuer-clients.js';
import { cookieNames, cookieOptions, signCookies } from './issuer-cookies.js';
import { signAccessTokens } from './jwt-access-tokens.js';
import { lifetimes } from './lifetimes.js';
import { confidentialMethods, metadataOfEndpoints } from './metadata.js';
import type { People } from './people.js';
import { requestedLanguage } from './request-language.js';
import { nonceRule, pkceRequired, refuseResource, stateRule } from './request-rules.js';
import { separateSessions } from './session-audience.js';
import { signInPolicy } from './sign-in-policy.js';
import { acceptOnlyIdTokens } from './sign-out/id-token-hint.js';
import { ignoreEndedSessions } from './sign-out/ignore-ended-sessions.js';
import { revokeOnSessionEnd } from './sign-out/revoke-on-session-end.js';
import { confirmSignOut, signedOutPage } from './sign-out/sign-out.js';
import { storeSignInData, versionOf } from './stored-sign-in-data.js';

export const passkeyAcr = 'urn:holdfast:acr:passkey';

/** A token that a request names. */
interface Presented {
  kind: string;
  clientId?: string | undefined;
  accountId?: string;
  grantId?: string;
}

export interface IssuerDependencies {
  baseUrl: string;
  secrets: SecretHashes;
  /** The first key signs cookies. The others are from before a rotation and only verify. */
  cookieKeys: readonly Buffer[];
  nonceKey: Buffer;
  clients: ClientRegistry;
  clientKeys: ClientKeys;
  limits: ClientLimits;
  customers: Customers;
  people: People;
  store: StateStore;
  revocations: SessionRevocations;
  audit: IssuerAudit;
}

/** The OpenID issuer of one organization (product §5, "Sign-in"). */
export function createIssuerProvider(
  organization: OrganizationProfile,
  keys: SigningKey[],
  dependencies: IssuerDependencies,
): Provider {
  const { baseUrl, secrets, cookieKeys, clients, clientKeys, limits, store, revocations, audit } = dependencies;
  const issuer = baseUrl + issuerPath(organization.shortId);
  const provider = new Provider(issuer, configuration(organization, keys, dependencies));
  // issuer-routes.ts overwrites the forwarding headers.
  provider.proxy = true;
  signCookies(provider, organization.shortId, cookieKeys);
  separateSessions(provider, organization.shortId, baseUrl, clients);
  storeSignInData(provider);
  signAccessTokens(provider, keys);
  addAccessTokenHash(provider);
  acceptOnlyIdTokens(provider);
  deriveSuccessors(provider, organization.shortId, store);
  ignoreEndedSessions(provider);
  revokeOnSessionEnd(provider, organization.shortId, revocations, audit);
  provideAppClients(provider, organization.shortId, clients, clientKeys, limits, secrets);
  acceptOnce(provider, () => organization.shortId, store, limits);
  countFailedAssertions(provider, limits);
  return provider;
}

function configuration(
  organization: OrganizationProfile,
  keys: SigningKey[],
  dependencies: IssuerDependencies,
): Configuration {
  const { baseUrl, nonceKey, customers, people, store } = dependencies;
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
    scopes: ['openid', ...Object.keys(personScopes)],
    claims: { openid: ['sub', 'credential', 'acr', 'amr', 'auth_time'], ...personScopes, sid: null, iss: null },
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    clientAuthMethods: [...confidentialMethods, 'none'],
    assertJwtClientAuthClaimsAndHeader: assertionRule(baseUrl + path),
    enabledJWA: {
      idTokenSigningAlgValues: ['RS256', 'ES256'],
      clientAuthSigningAlgValues: proofAlgorithms,
      dPoPSigningAlgValues: proofAlgorithms,
    },
    subjectTypes: ['public'],
    allowOmittingSingleRegisteredRedirectUri: false,
    clockTolerance: clockToleranceSeconds,
    pkce: { required: pkceRequired },
    discovery: metadataOfEndpoints,
    extraParams: { nonce: nonceRule, state: stateRule },
    findAccount: accountsOf(shortId, customers, people),
    loadExistingGrant,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    // Sessions expire sooner than refresh tokens. Signing out revokes both (revoke-on-session-end.ts).
    expiresWithSession: () => false,
    ttl: lifetimes,
    interactions: {
      url: (_ctx, { uid, params }) => {
        const language = requestedLanguage(params.ui_locales);
        return `${path}${signInPagePath}${uid}${language === undefined ? '' : `?ui_locales=${language}`}`;
      },
      policy: signInPolicy(),
    },
    // Our own pages may use every client: browsers send Origin with each POST, also to the same origin.
    clientBasedCORS: (ctx, origin) => origin === new URL(baseUrl).origin || isOriginOfSpa(ctx, origin),
    renderError: renderError(organization),
    // No feature in use needs outbound requests of the library, so none can be forged (CVE-2020-10770 and the like).
    fetch: () => Promise.reject(new Error('an issuer sends no outbound requests')),
    features: {
      devInteractions: off,
      dPoP: dpopFeature(baseUrl + path, nonceKey),
      pushedAuthorizationRequests: { enabled: true },
      deviceFlow: deviceFlow(),
      resourceIndicators: { enabled: true, getResourceServerInfo: refuseResource },
      // Announced only, since the library would notify apps without retries. src/logout notifies them.
      backchannelLogout: { enabled: true },
      userinfo: { enabled: true },
      revocation: { enabled: true, allowedPolicy: revokeAtOnce(shortId, dependencies) },
      introspection: { enabled: true, allowedPolicy: ownLiveTokens(accountsOf(shortId, customers, people)) },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: confirmSignOut(organization, baseUrl),
        postLogoutSuccessSource: signedOutPage(organization),
      },
    },
  };
}

/** Grants an app its scopes without consent, since only apps of the organization sign its customers and people in. */
async function loadExistingGrant(ctx: KoaContextWithOIDC) {
  const { client, session, account, provider } = ctx.oidc;
  const grantId = session!.grantIdFor(client!.clientId);
  const grant = grantId && (await provider.Grant.find(grantId));
  if (grant && grant.accountId === account!.accountId) {
    // After a later sign-in in this session, new state of the grant results from that sign-in.
    if (versionOf(grant) !== versionOf(session!)) await Object.assign(grant, { version: versionOf(session!) }).save();
    return grant;
  }
  const created = new provider.Grant({ clientId: client!.clientId, accountId: account!.accountId });
  const { audience } = issuerRequestOf(ctx).client!.app;
  created.addOIDCScope(['openid', ...(audience === 'people' ? Object.keys(personScopes) : [])].join(' '));
  await created.save();
  return created;
}

/**
 * Revokes in one transaction with the audit record, before the library would revoke in several steps. An app revokes
 * its own tokens only (RFC 7009 §2.1). Revoking an access token deletes every token of its grant, but not the grant.
 */
function revokeAtOnce(org: string, { revocations, audit }: IssuerDependencies) {
  return async (ctx: KoaContextWithOIDC, client: Client, token: Presented): Promise<boolean> => {
    if (token.clientId !== client.clientId) throw new errors.InvalidRequest('the token was issued to another client');
    if (token.grantId === undefined) return true;
    const request = issuerRequestOf(ctx);
    const record = audit.recordOfChange(request, revocationOf(request, token.accountId));
    if (
      await translateDatabaseErrors(revocations.revokeGrant(org, token.grantId, token.kind === 'RefreshToken', record))
    )
      request.change = record;
    return true;
  };
}

/** An app learns of its own tokens only, and of none whose customer or person can no longer sign in to it. */
function ownLiveTokens(findAccount: ReturnType<typeof accountsOf>) {
  return async (ctx: KoaContextWithOIDC, client: Client, token: Presented): Promise<boolean> =>
    token.clientId === client.clientId &&
    token.accountId !== undefined &&
    (await findAccount(ctx, token.accountId, token)) !== undefined;
}

function isOriginOfSpa(ctx: KoaContextWithOIDC, origin: string): boolean {
  const { kind, redirectUris } = issuerRequestOf(ctx).client!.app;
  return kind === 'spa' && webOrigins(redirectUris).includes(origin);
}
