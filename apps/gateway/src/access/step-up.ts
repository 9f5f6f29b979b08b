import { stepUpMaxAgeSeconds } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { isPerson, type CallerClaims } from '../edge/caller.js';

/**
 * Whether a person signed in too long ago to widen rights (RFC 9470): somebody who takes over an open session cannot.
 * Programs have no sign-in, and what only people may do they cannot do anyway.
 */
export function needsStepUp(claims: CallerClaims, now: Date): boolean {
  return isPerson(claims) && now.getTime() / 1000 - claims.auth_time > stepUpMaxAgeSeconds;
}

/** @throws step_up_required */
export function requireRecentSignIn({ needsStepUp }: { needsStepUp?: boolean }): void {
  if (needsStepUp) throw new AppError('step_up_required');
}
