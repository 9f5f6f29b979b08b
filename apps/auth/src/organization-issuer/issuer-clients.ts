import { Provider, type Client, type ClientMetadata } from 'oidc-provider';
import { isProgram, type App } from '@holdfast/contracts';
import type { CheckedJwk } from '@holdfast/platform';
import type { ClientKeys } from '../client-authentication/client-keys.js';
import { compareSecretHashes, findPresentedClient } from '../client-authentication/client-secrets.js';
import { requireProof } from '../client-authentication/proof-of-possession.js';
import type { SecretHashes } from '../client-authentication/secret-hashes.js';
import type { ClientLimits } from '../clients/client-limits.js';
import { isPublic } from '../clients/client-record.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import { confidentialAuthentication, ProviderClients } from '../clients/provider-clients.js';
import { issuerRequestOf } from '../request-context/issuer-request.js';
import { deviceGrantType } from './metadata.js';
import { redirectAllowed, refuseResource } from './request-rules.js';

/** Provides an organization's issuer with its clients: the apps of this organization that sign somebody in. */
export function provideAppClients(
  provider: Provider,
  org: string,
  clients: ClientRegistry,
  clientKeys: ClientKeys,
  limits: ClientLimits,
  secrets: SecretHashes,
): void {
  const built = new ProviderClients(provider, ({ app }, keys) => metadataOf(app, keys));

  provider.Client.find = async (clientId: string): Promise<Client | undefined> => {
    const record = await findPresentedClient(clients, clientId);
    if (record?.app.org !== org) return undefined;
    // Set also for an app that is disabled or signs nobody in: audit records of its denied requests name it.
    const request = issuerRequestOf(Provider.ctx);
    request.client = record;
    if (record.refused || !signsIn(record.app)) return undefined;
    // RFC 7662 §2.1: introspection needs authentication, and a public client has none.
    if (Provider.ctx?.oidc.route === 'introspection' && isPublic(record.app)) return undefined;
    requireProof(record);
    refuseResourceAtToken();
    return built.of(record, (request.clientKeys = await clientKeys.of(record)));
  };

  compareSecretHashes(provider, limits, secrets);
  const { prototype } = provider.Client;
  prototype.redirectUriAllowed = function (given: string): boolean {
    const { kind, redirectUris } = issuerRequestOf(Provider.ctx).client!.app;
    return redirectAllowed(kind, redirectUris, given);
  };
  prototype.postLogoutRedirectUriAllowed = function (given: string): boolean {
    return issuerRequestOf(Provider.ctx).client!.app.postLogoutRedirectUris.includes(given);
  };
  prototype.includeSid = () => true;
}

/** As at the authorization endpoint, and before the library consumes the code or refresh token of the request. */
function refuseResourceAtToken(): void {
  const { route, params } = Provider.ctx!.oidc;
  if (route === 'token' && (params as { resource?: unknown }).resource !== undefined) refuseResource();
}

function signsIn({ kind, redirectUris, deviceAuthorization = false }: App): boolean {
  return !isProgram(kind) && (redirectUris.length > 0 || deviceAuthorization);
}

function metadataOf(app: App, keys: readonly CheckedJwk[]): ClientMetadata {
  const hasRedirect = app.redirectUris.length > 0;
  return {
    client_id: app.clientId,
    client_name: app.displayName ?? app.name,
    application_type: app.kind === 'native' ? 'native' : 'web',
    ...(isPublic(app) ? { token_endpoint_auth_method: 'none' } : confidentialAuthentication(keys)),
    ...(app.requireDpop && { dpop_bound_access_tokens: true }),
    grant_types: [
      ...(hasRedirect ? ['authorization_code'] : []),
      ...(app.deviceAuthorization ? [deviceGrantType] : []),
      ...(app.refreshTokens ? ['refresh_token'] : []),
    ],
    response_types: hasRedirect ? ['code'] : [],
    redirect_uris: app.redirectUris,
    post_logout_redirect_uris: app.postLogoutRedirectUris,
    id_token_signed_response_alg: app.idTokenAlg ?? 'RS256',
  };
}
