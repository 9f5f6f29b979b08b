import { Provider } from 'oidc-provider';
import type { StateStore } from './state-store.js';

interface Rotated {
  jti: string;
  grantId: string;
}

/**
 * The successor of a refresh token follows from it, so that everybody who uses the token within the grace period gets
 * the same one, at whichever replica, also at the same moment.
 */
export function deriveSuccessors(provider: Provider, org: string, store: StateStore): void {
  const prototype = provider.RefreshToken.prototype as unknown as { generateTokenId: (this: object) => string };
  const { generateTokenId } = prototype;
  prototype.generateTokenId = function () {
    const rotated = Provider.ctx?.oidc.entities.RotatedRefreshToken as Rotated | undefined;
    return rotated ? store.successorOf(org, rotated.jti, rotated.grantId) : generateTokenId.call(this);
  };
}
