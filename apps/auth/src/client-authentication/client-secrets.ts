import { Provider } from 'oidc-provider';
import type { ClientLimits } from '../clients/client-limits.js';
import { matchSecret, type ClientRecord } from '../clients/client-record.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import { issuerRequestOf, type IssuerRequest } from '../request-context/issuer-request.js';
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

/** Has oidc-provider compare client secrets by acceptSecret. */
export function compareSecretHashes({ Client }: Provider, limits: ClientLimits, secrets: SecretHashes): void {
  Client.prototype.compareClientSecret = function (presented: string): boolean {
    return acceptSecret(presented, issuerRequestOf(Provider.ctx), limits, secrets);
  };
}

/**
 * Compares a client secret with keyed hashes, of which two may be live, limits how often clients try, and notes in the
 * request which secret was presented. Costs the same whether or not the client exists. @throws TooManyRequests
 */
export function acceptSecret(
  presented: string,
  request: Pick<IssuerRequest, 'client' | 'network' | 'presentedClientId' | 'secretId'>,
  limits: ClientLimits,
  secrets: SecretHashes,
): boolean {
  const matched = matchSecret(secrets.peppers, presented, request.client);
  if (matched === undefined) {
    limits.countWrongSecret(request.network, request.presentedClientId);
    return false;
  }
  limits.admit(request.client!);
  request.secretId = matched.id;
  if (matched.isOutdated) secrets.renew(request.client!.app.clientId, matched.id, presented);
  return true;
}
