import type { AccessEntry, AccessTokenClaims } from '@holdfast/contracts';

/** The claims of a token that show where its rights come from. */
export type TokenOrigin = Pick<AccessTokenClaims, 'client_id' | 'org' | 'client_version' | 'secret_id'>;

export type RevocationReason = 'organization suspended' | 'app disabled' | 'rights reduced' | 'secret revoked';

/**
 * Why a token that is otherwise valid has lost its rights since it was issued; undefined if it has not. Organization,
 * app and secret can each revoke it alone. An absent entry means that nothing has changed.
 */
export function revocationReason(
  token: TokenOrigin,
  app?: AccessEntry,
  organization?: AccessEntry,
): RevocationReason | undefined {
  if (organization?.disabled) return 'organization suspended';
  if (!app) return undefined;
  if (app.disabled) return 'app disabled';
  if (token.client_version < app.minVersion) return 'rights reduced';
  if (token.secret_id !== undefined && app.revokedSecrets.includes(token.secret_id)) return 'secret revoked';
  return undefined;
}
