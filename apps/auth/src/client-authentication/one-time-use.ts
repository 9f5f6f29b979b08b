import { decodeJwt } from 'jose';
import { errors, Provider } from 'oidc-provider';
import type { ClientLimits } from '../clients/client-limits.js';
import { issuerRequestOf, type IssuerRequest } from '../request-context/issuer-request.js';
import type { StateStore } from '../sessions/state-store.js';
import { translateDatabaseErrors } from '../temporarily-unavailable.js';
import { clockToleranceSeconds, maxIdLength } from './client-assertions.js';

/** A client makes a proof for each request, right before it; as at the API (docs/connect.md). */
const maxProofAgeSeconds = 60;

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
    if (kind === 'proof') requireFresh(Provider.ctx!.get('dpop'), jti);
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

/**
 * The library accepts a proof from five minutes ago to five minutes ahead, and remembers its use for five minutes: one
 * from ahead could be used again afterwards. With a nonce, which the library has checked, the time of the client does
 * not matter. @throws UseDpopNonce, whose response has the nonce already
 */
function requireFresh(proof: string, jti: string): void {
  if (jti.length > maxIdLength)
    throw new errors.InvalidDpopProof(`jti of the DPoP proof must have at most ${maxIdLength} characters`);
  const { iat, nonce } = decodeJwt(proof);
  const ageSeconds = Date.now() / 1000 - iat!;
  if (nonce === undefined && (ageSeconds > maxProofAgeSeconds || ageSeconds < -clockToleranceSeconds))
    throw new errors.UseDpopNonce(
      `iat of the DPoP proof is not within ${maxProofAgeSeconds} s; use the nonce of the header DPoP-Nonce`,
    );
}
