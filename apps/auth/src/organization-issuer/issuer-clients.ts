import { Provider, type Client, type ClientMetadata } from 'oidc-provider';
import type { App } from '@holdfast/contracts';
import { compareSecretHashes, findPresentedClient } from '../client-authentication/client-secrets.js';
import type { ClientLimits } from '../clients/client-limits.js';
import type { ClientRecord } from '../clients/client-record.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import { issuerRequestOf } from '../request-context/issuer-request.js';
import { redirectAllowed } from './request-rules.js';

/** Provides an organization's issuer with its clients: the apps of this organization that sign customers in. */
export function provideAppClients(
  provider: Provider,
  org: string,
  clients: ClientRegistry,
  limits: ClientLimits,
  pepper: Buffer,
): void {
  // The published types lack the constructor's argument.
  const ProviderClient = provider.Client as unknown as new (metadata: ClientMetadata) => Client;
  const clientsByRecord = new WeakMap<ClientRecord, Client>();

  provider.Client.find = async (clientId: string): Promise<Client | undefined> => {
    const record = await findPresentedClient(clients, clientId);
    if (record?.app.org !== org) return undefined;
    // Set also for an app that is disabled or signs nobody in: audit records of its denied requests name it.
    issuerRequestOf(Provider.ctx).client = record;
    if (record.refused || !signsIn(record.app)) return undefined;
    const client = clientsByRecord.get(record) ?? new ProviderClient(metadataOf(record.app));
    clientsByRecord.set(record, client);
    return client;
  };

  compareSecretHashes(provider, limits, pepper);
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

function signsIn({ kind, audience, redirectUris }: App): boolean {
  return kind !== 'service' && audience === 'customers' && redirectUris.length > 0;
}

export const isPublic = ({ kind }: App): boolean => kind === 'spa' || kind === 'native';

function metadataOf(app: App): ClientMetadata {
  return {
    client_id: app.clientId,
    client_name: app.displayName ?? app.name,
    application_type: app.kind === 'native' ? 'native' : 'web',
    ...(isPublic(app) ? {} : { client_secret: 'never compared' }),
    token_endpoint_auth_method: isPublic(app) ? 'none' : 'client_secret_basic',
    grant_types: ['authorization_code', ...(app.refreshTokens ? ['refresh_token'] : [])],
    response_types: ['code'],
    redirect_uris: app.redirectUris,
    post_logout_redirect_uris: app.postLogoutRedirectUris,
    id_token_signed_response_alg: app.idTokenAlg ?? 'RS256',
  };
}
