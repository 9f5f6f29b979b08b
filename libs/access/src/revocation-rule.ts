import type { AccessEntry, AccessTokenClaims } from '@holdfast/contracts';

/** What a token says of where its rights come from. */
export type TokenOrigin = Pick<AccessTokenClaims, 'client_id' | 'org' | 'client_version' | 'secret_id'>;

export type RevocationReason = 'organization suspended' | 'app disabled' | 'rights have shrunk' | 'secret revoked';

/**
 * Whether a token that is otherwise valid has lost its ground since it was made, and why. Each level can refuse alone:
 * the strictest of organization, app and token wins. An absent entry says that nothing has changed.
 */
export function revocationReason(
  token: TokenOrigin,
  app?: AccessEntry,
  organization?: AccessEntry,
): RevocationReason | undefined {
  if (organization?.disabled) return 'organization suspended';
  if (!app) return undefined;
  if (app.disabled) return 'app disabled';
  if (token.client_version < app.minVersion) return 'rights have shrunk';
  if (token.secret_id !== undefined && app.revokedSecrets.includes(token.secret_id)) return 'secret revoked';
  return undefined;
}
