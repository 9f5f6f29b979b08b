import { Provider } from 'oidc-provider';
import type { ClientLimits } from '../clients/client-limits.js';
import { issuerRequestOf, type IssuerRequest } from '../request-context/issuer-request.js';
import type { StateStore } from '../sessions/state-store.js';
import { translateDatabaseErrors } from '../temporarily-unavailable.js';

/**
 * Accepts each client assertion and each DPoP proof once, on all replicas. The library would look it up and then store
 * it, so that of two concurrent requests both could pass.
 */
export function acceptOnce(
  provider: Provider,
  orgOf: (request: IssuerRequest) => string,
  store: StateStore,
  limits: ClientLimits,
): void {
  const model = provider.ReplayDetection as unknown as {
    unique: (clientId: string, jti: string, exp: number) => Promise<boolean>;
  };
  model.unique = async (clientId, jti, exp) => {
    const request = issuerRequestOf(Provider.ctx);
    // The library checks an assertion right after its claims (client-assertions.ts), and proofs later.
    const { assertionKey, client } = request;
    delete request.assertionKey;
    const kind = assertionKey === undefined ? 'proof' : 'assertion';
    const seconds = Math.max(1, exp - Math.floor(Date.now() / 1000));
    const id = JSON.stringify([provider.issuer, kind, clientId, jti]);
    const first = await translateDatabaseErrors(store.useOnce(orgOf(request), 'ReplayDetection', id, seconds));
    if (first && assertionKey !== undefined) {
      limits.admit(client!);
      request.secretId = assertionKey;
    }
    return first;
  };
}
