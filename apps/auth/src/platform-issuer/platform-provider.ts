import { errors, Provider, type Configuration } from 'oidc-provider';
import { accessTokenLifetimeSeconds, apiAudience, proofAlgorithms, tokenScopes } from '@holdfast/contracts';
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
import { LocalSigningKey } from '../keys/local-signing-key.js';
import { issuerRequestOf } from '../request-context/issuer-request.js';
import type { StateStore } from '../sessions/state-store.js';
import { appClaims } from './app-claims.js';
import { noStorage, providePlatformClients } from './platform-clients.js';
import { scopeIssue } from './scope-rule.js';

export const tokenRoute = '/oauth2/token';

export interface PlatformProviderOptions {
  baseUrl: string;
  keys: SigningKey[];
  clients: ClientRegistry;
  clientKeys: ClientKeys;
  limits: ClientLimits;
  store: StateStore;
  secrets: SecretHashes;
  nonceKey: Buffer;
}

/** The platform issuer: issues RFC 9068 access tokens for client credentials, and nothing else. */
export function createPlatformProvider(options: PlatformProviderOptions): Provider {
  const { baseUrl, keys, clients, clientKeys, limits, store, secrets, nonceKey } = options;
  const provider = new Provider(baseUrl, configuration(baseUrl, keys, nonceKey));
  // platform-issuer.ts overwrites the forwarding headers.
  provider.proxy = true;
  providePlatformClients(provider, clients, clientKeys, limits, secrets);
  acceptOnce(provider, ({ client }) => client!.app.org, store, limits);
  countFailedAssertions(provider, limits);
  return provider;
}

function configuration(baseUrl: string, keys: SigningKey[], nonceKey: Buffer): Configuration {
  const api = apiAudience(baseUrl);
  const alg = 'EdDSA';
  const off = { enabled: false };
  return {
    adapter: noStorage,
    jwks: { keys: keys.map((key) => new LocalSigningKey(key)) },
    routes: { token: tokenRoute },
    scopes: [...tokenScopes],
    responseTypes: [],
    clientAuthMethods: ['client_secret_basic', 'private_key_jwt'],
    assertJwtClientAuthClaimsAndHeader: assertionRule(baseUrl),
    clockTolerance: clockToleranceSeconds,
    // Keys come from client-keys.ts, so the library needs no outbound requests, and none can be forged.
    fetch: () => Promise.reject(new Error('the platform issuer sends no outbound requests')),
    clientDefaults: { grant_types: ['client_credentials'], response_types: [], id_token_signed_response_alg: alg },
    enabledJWA: {
      idTokenSigningAlgValues: [alg],
      clientAuthSigningAlgValues: proofAlgorithms,
      dPoPSigningAlgValues: proofAlgorithms,
    },
    ttl: { ClientCredentials: accessTokenLifetimeSeconds },
    features: {
      clientCredentials: { enabled: true },
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
      devInteractions: off,
      dPoP: dpopFeature(baseUrl, nonceKey),
      pushedAuthorizationRequests: off,
      rpInitiatedLogout: off,
      userinfo: off,
      resourceIndicators: {
        enabled: true,
        defaultResource: () => api,
        getResourceServerInfo: (ctx, resource) => {
          // Both identifiers in our metadata (RFC 9728) name the same API.
          if (resource !== api && resource !== baseUrl) throw new errors.InvalidTarget();
          requireScope(ctx);
          return {
            scope: tokenScopes.join(' '),
            audience: api,
            accessTokenTTL: accessTokenLifetimeSeconds,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg, kid: keys[0]!.kid } },
          };
        },
      },
    },
    extraTokenClaims: (ctx) => {
      const { client, secretId } = issuerRequestOf(ctx);
      return appClaims(client!, secretId);
    },
    // For our own reference page. Browsers send Origin with each POST, also to the same origin.
    clientBasedCORS: (_ctx, origin) => origin === new URL(baseUrl).origin,
    // A token endpoint responds with JSON whatever `Accept` says (RFC 6749 §5.2).
    renderError: (ctx, out) => {
      ctx.type = 'json';
      ctx.body = out;
    },
  };
}

/** Checked here, since the library would ignore an unknown scope and issue a token without one. */
function requireScope(ctx: object): void {
  const { body, params } = (ctx as { oidc: { body?: Record<string, unknown>; params?: { scope?: unknown } } }).oidc;
  if (body?.client_secret !== undefined)
    throw new errors.InvalidRequest('a client secret belongs in the Authorization header only');
  const issue = scopeIssue(params?.scope as string | undefined, issuerRequestOf(ctx).client?.scopes ?? []);
  if (issue) throw new errors.InvalidScope(issue, undefined as never);
}
