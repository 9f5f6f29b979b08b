import type { AccessEntry, AccessTokenClaims, PersonTokenClaims } from '@holdfast/contracts';

/** The claims of a token that show where its rights come from. */
export type TokenOrigin = Pick<AccessTokenClaims, 'client_id' | 'org' | 'client_version' | 'secret_id'>;

export type RevocationReason =
  'organization suspended' | 'app disabled' | 'person deactivated' | 'rights reduced' | 'secret revoked';

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

/** The claims of a person token that show where its rights come from. `client_id` is the hub. */
export type PersonTokenOrigin = Pick<PersonTokenClaims, 'sub' | 'client_id' | 'org' | 'person_version'>;

/**
 * The same for a person token: the organization is suspended, the hub's client disabled, or the person deactivated,
 * removed, or of fewer rights since a later version.
 */
export function personRevocationReason(
  token: PersonTokenOrigin,
  person?: AccessEntry,
  hub?: AccessEntry,
  organization?: AccessEntry,
): RevocationReason | undefined {
  if (organization?.disabled) return 'organization suspended';
  if (hub?.disabled) return 'app disabled';
  if (!person) return undefined;
  if (person.disabled) return 'person deactivated';
  return token.person_version < person.minVersion ? 'rights reduced' : undefined;
}
