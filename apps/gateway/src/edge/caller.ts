import type { AccessTokenClaims, PersonTokenClaims } from '@holdfast/contracts';

/** Verified claims of a caller of the API: an app with a bearer token, or a person with a session at the hub. */
export type CallerClaims = AccessTokenClaims | PersonTokenClaims;

export function isPerson(claims: CallerClaims): claims is PersonTokenClaims {
  return 'person_version' in claims;
}
