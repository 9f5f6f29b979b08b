import { Provider, type Client, type ClientMetadata } from 'oidc-provider';
import type { CheckedJwk } from '@holdfast/platform';
import type { ClientKeys } from '../client-authentication/client-keys.js';
import { compareSecretHashes, findPresentedClient } from '../client-authentication/client-secrets.js';
import { requireProof } from '../client-authentication/proof-of-possession.js';
import type { SecretHashes } from '../client-authentication/secret-hashes.js';
import type { ClientLimits } from '../clients/client-limits.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import { confidentialAuthentication, ProviderClients } from '../clients/provider-clients.js';
import { issuerRequestOf } from '../request-context/issuer-request.js';

/** Provides the platform issuer with its clients: the apps that call the Admin API. */
export function providePlatformClients(
  provider: Provider,
  clients: ClientRegistry,
  clientKeys: ClientKeys,
  limits: ClientLimits,
  secrets: SecretHashes,
): void {
  const built = new ProviderClients(provider, ({ app, scopes }, keys) => metadataOf(app.clientId, scopes, keys));
  const unknownClient = built.unknown(metadataOf('nobody', [], []));

  provider.Client.find = async (clientId: string): Promise<Client> => {
    const record = await findPresentedClient(clients, clientId);
    // An unknown client takes the path of a wrong secret, so that neither response nor time distinguishes them.
    if (!record) return unknownClient;
    const request = issuerRequestOf(Provider.ctx);
    request.client = record;
    requireProof(record);
    return built.of(record, (request.clientKeys = await clientKeys.of(record)));
  };

  compareSecretHashes(provider, limits, secrets);
}

function metadataOf(clientId: string, scopes: readonly string[], keys: readonly CheckedJwk[]): ClientMetadata {
  return {
    client_id: clientId,
    ...confidentialAuthentication(keys),
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
