import { Provider } from 'oidc-provider';
import type { StateStore } from './state-store.js';

interface RotatedToken {
  jti: string;
  grantId: string;
}

/**
 * Derives the successor of a refresh token from the token, so that all uses of it within the grace period return the
 * same successor, at every replica, also concurrently.
 */
export function deriveSuccessors(provider: Provider, org: string, store: StateStore): void {
  const prototype = provider.RefreshToken.prototype as unknown as { generateTokenId: (this: object) => string };
  const { generateTokenId } = prototype;
  prototype.generateTokenId = function () {
    const rotated = Provider.ctx?.oidc.entities.RotatedRefreshToken as RotatedToken | undefined;
    return rotated ? store.successorOf(org, rotated.jti, rotated.grantId) : generateTokenId.call(this);
  };
}
