import { Provider, type Client, type ClientMetadata } from 'oidc-provider';
import { compareSecretHashes, findPresentedClient } from '../client-authentication/client-secrets.js';
import type { ClientLimits } from '../clients/client-limits.js';
import type { ClientRecord } from '../clients/client-record.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import { issuerRequestOf } from '../request-context/issuer-request.js';

/** Provides oidc-provider with clients, each built once per record of directory. The library caches only a hundred. */
export function providePlatformClients(
  provider: Provider,
  clients: ClientRegistry,
  limits: ClientLimits,
  pepper: Buffer,
): void {
  // The published types lack the constructor's argument.
  const ProviderClient = provider.Client as unknown as new (metadata: ClientMetadata) => Client;
  const clientsByRecord = new WeakMap<ClientRecord, Client>();
  const build = (clientId: string, scopes: readonly string[]) => new ProviderClient(metadataOf(clientId, scopes));
  const unknownClient = build('nobody', []);

  provider.Client.find = async (clientId: string): Promise<Client> => {
    const record = await findPresentedClient(clients, clientId);
    // An unknown client takes the path of a wrong secret, so that neither response nor time distinguishes them.
    if (!record) return unknownClient;
    issuerRequestOf(Provider.ctx).client = record;
    const client = clientsByRecord.get(record) ?? build(clientId, record.scopes);
    clientsByRecord.set(record, client);
    return client;
  };

  compareSecretHashes(provider, limits, pepper);
}

function metadataOf(clientId: string, scopes: readonly string[]): ClientMetadata {
  return {
    client_id: clientId,
    client_secret: 'never compared',
    token_endpoint_auth_method: 'client_secret_basic',
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  };
}

/** Rejects all storage: JWT access tokens are not stored, and clients come from providePlatformClients(). */
export function noStorage() {
  const reject = () => Promise.reject(new Error('the platform issuer stores no state'));
  return {
    find: reject,
    upsert: reject,
    findByUid: reject,
    findByUserCode: reject,
    consume: reject,
    destroy: reject,
    revokeByGrantId: reject,
  };
}
