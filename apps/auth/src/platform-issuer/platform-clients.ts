import { Provider, type Client, type ClientMetadata } from 'oidc-provider';
import type { ClientLimits } from '../clients/client-limits.js';
import { matchSecret, type ClientRecord } from '../clients/client-record.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import { asUnavailable } from '../temporarily-unavailable.js';
import { issuerRequestOf } from '../request-context/issuer-request.js';

/**
 * Gives the library its clients. It would build one from metadata for all but the last hundred, and compare with one
 * plain secret; here one is built per record of directory, and secrets are keyed hashes of which two may be live.
 */
export function providePlatformClients(provider: Provider, clients: ClientRegistry, limits: ClientLimits, pepper: Buffer): void {
  // The published types leave the constructor's argument out.
  const Built = provider.Client as unknown as new (metadata: ClientMetadata) => Client;
  const built = new WeakMap<ClientRecord, Client>();
  const build = (clientId: string, scopes: readonly string[]) => new Built(metadataOf(clientId, scopes));
  const nobody = build('nobody', []);

  provider.Client.find = async (clientId: string): Promise<Client> => {
    const request = issuerRequestOf(Provider.ctx);
    request.presentedClientId = clientId;
    const record = await clients.find(clientId).catch((error: unknown) => {
      throw asUnavailable(error);
    });
    // An unknown client goes the same way as a wrong secret, so that neither answer nor time tells them apart.
    if (!record) return nobody;
    request.client = record;
    const client = built.get(record) ?? build(clientId, record.scopes);
    built.set(record, client);
    return client;
  };

  provider.Client.prototype.compareClientSecret = function (presented: string): boolean {
    const request = issuerRequestOf(Provider.ctx);
    const secretId = matchSecret(pepper, presented, request.client);
    if (secretId === undefined) {
      limits.countWrongSecret(request.network, request.presentedClientId);
      return false;
    }
    limits.admit(request.client!.app.clientId);
    request.secretId = secretId;
    return true;
  };
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

/** Storage of an issuer that keeps nothing: JWT access tokens are not stored, and clients come from providePlatformClients(). */
export function noStorage() {
  const refuse = () => Promise.reject(new Error('the platform issuer keeps no state'));
  return {
    find: refuse,
    upsert: refuse,
    findByUid: refuse,
    findByUserCode: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  };
}
