import { Provider } from 'oidc-provider';
import type { ClientLimits } from '../clients/client-limits.js';
import { matchSecret, type ClientRecord } from '../clients/client-record.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import { issuerRequestOf } from '../request-context/issuer-request.js';
import { asUnavailable } from '../temporarily-unavailable.js';

/** The record of the client that the current request names. @throws TemporarilyUnavailable */
export async function findPresentedClient(
  clients: ClientRegistry,
  clientId: string,
): Promise<ClientRecord | undefined> {
  issuerRequestOf(Provider.ctx).presentedClientId = clientId;
  try {
    return await clients.find(clientId);
  } catch (error) {
    throw asUnavailable(error);
  }
}

/** Compares client secrets with keyed hashes, of which two may be live, and limits how often clients try. */
export function compareSecretHashes({ Client }: Provider, limits: ClientLimits, pepper: Buffer): void {
  Client.prototype.compareClientSecret = function (presented: string): boolean {
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
