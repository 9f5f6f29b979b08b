import { Provider, type Client, type ClientMetadata } from 'oidc-provider';
import type { CheckedJwk } from '@holdfast/platform';
import type { ClientKeys } from '../client-authentication/client-keys.js';
import { compareSecretHashes, findPresentedClient } from '../client-authentication/client-secrets.js';
import { requireProof } from '../client-authentication/proof-of-possession.js';
import type { SecretHashes } from '../client-authentication/secret-hashes.js';
import type { ClientLimits } from '../clients/client-limits.js';
import type { ClientRecord } from '../clients/client-record.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import { issuerRequestOf } from '../request-context/issuer-request.js';

interface Built {
  client: Client;
  keys: readonly CheckedJwk[];
}

/**
 * Provides oidc-provider with clients, each built once per record of directory and set of keys. The library caches only
 * a hundred.
 */
export function providePlatformClients(
  provider: Provider,
  clients: ClientRegistry,
  clientKeys: ClientKeys,
  limits: ClientLimits,
  secrets: SecretHashes,
): void {
  // The published types lack the constructor's argument.
  const ProviderClient = provider.Client as unknown as new (metadata: ClientMetadata) => Client;
  const builtByRecord = new WeakMap<ClientRecord, Built>();
  const unknownClient = new ProviderClient(metadataOf('nobody', [], []));

  provider.Client.find = async (clientId: string): Promise<Client> => {
    const record = await findPresentedClient(clients, clientId);
    // An unknown client takes the path of a wrong secret, so that neither response nor time distinguishes them.
    if (!record) return unknownClient;
    const request = issuerRequestOf(Provider.ctx);
    request.client = record;
    requireProof(record);
    const keys = (request.clientKeys = await clientKeys.of(record));
    let built = builtByRecord.get(record);
    if (built?.keys !== keys) {
      built = { client: new ProviderClient(metadataOf(clientId, record.scopes, keys)), keys };
      builtByRecord.set(record, built);
    }
    return built.client;
  };

  compareSecretHashes(provider, limits, secrets);
}

/**
 * A client that authenticates with keys has some while it presents an assertion. Otherwise it is like one with secrets,
 * and has none.
 */
function metadataOf(clientId: string, scopes: readonly string[], keys: readonly CheckedJwk[]): ClientMetadata {
  const authentication =
    keys.length > 0
      ? { token_endpoint_auth_method: 'private_key_jwt' as const, jwks: { keys: keys.map(({ key }) => ({ ...key })) } }
      : { token_endpoint_auth_method: 'client_secret_basic' as const, client_secret: 'never compared' };
  return {
    client_id: clientId,
    ...authentication,
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
