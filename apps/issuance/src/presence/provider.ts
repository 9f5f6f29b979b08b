import type { Presence } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';

/** For whom a proof must have been made, and the time of its verification. */
export interface PresenceContext {
  org: string;
  /** The app that makes the offer, by its client ID. */
  app: string;
  now: Date;
}

/** A valid proof. It allows one offer, which stores its `id` until `expiresAt`. */
export interface Proof {
  provider: Presence['type'];
  id: string;
  expiresAt: Date;
}

/**
 * One way to prove that a person was present on the sign-up form. It verifies a proof; the transaction of the offer
 * consumes it.
 */
export interface PresenceProvider<Type extends Presence['type'] = Presence['type']> {
  readonly type: Type;
  /**
   * @throws presence_invalid, presence_expired or presence_unavailable for everything that is not surely a valid proof
   */
  verify(proof: Extract<Presence, { type: Type }>, context: PresenceContext): Promise<Proof>;
}

type PresenceCode = 'presence_required' | 'presence_invalid' | 'presence_expired' | 'presence_replayed';

/** An error that the visitor or the app's backend can correct; `detail` says how. */
export function presenceError(code: PresenceCode, detail: string): AppError {
  return new AppError(code, detail, { errors: [{ pointer: '#/presence', detail }] });
}

/** Not an error of the visitor, and never a pass: no offer is created, and the same proof may be sent again. */
export function presenceUnavailable(detail: string): AppError {
  return new AppError('presence_unavailable', detail, { retryAfter: 1 });
}
