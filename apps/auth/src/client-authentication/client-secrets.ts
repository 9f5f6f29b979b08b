import { Provider } from 'oidc-provider';
import type { ClientLimits } from '../clients/client-limits.js';
import { matchSecret, type ClientRecord } from '../clients/client-record.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import { issuerRequestOf } from '../request-context/issuer-request.js';
import { asUnavailable } from '../temporarily-unavailable.js';
import type { SecretHashes } from './secret-hashes.js';

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
export function compareSecretHashes({ Client }: Provider, limits: ClientLimits, secrets: SecretHashes): void {
  Client.prototype.compareClientSecret = function (presented: string): boolean {
    const request = issuerRequestOf(Provider.ctx);
    const matched = matchSecret(secrets.peppers, presented, request.client);
    if (matched === undefined) {
      limits.countWrongSecret(request.network, request.presentedClientId);
      return false;
    }
    limits.admit(request.client!);
    request.secretId = matched.id;
    if (matched.isOutdated) secrets.renew(request.client!.app.clientId, matched.id, presented);
    return true;
  };
}
