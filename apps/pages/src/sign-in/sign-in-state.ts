import type { AuthenticationResponseJSON } from '@simplewebauthn/browser';
import type { SignIn } from '@holdfast/contracts';
import type { Ability } from '../browser/ability.ts';
import type { Failed, FailureKind } from '../browser/failure.ts';

export type Refusal = 'unknown_passkey' | 'other_organization';

/** Why nothing came of it, where another try makes sense. */
export type Stop =
  | Refusal
  | Extract<
      FailureKind,
      'cancelled' | 'ceremony_expired' | 'passkey_invalid' | 'unsuitable' | 'insecure' | 'rate_limited' | 'unavailable'
    >;

export type SignInState =
  | { name: 'loading'; remembered?: SignIn }
  | { name: 'ready' | 'working' | 'verifying' | 'leaving'; view: SignIn }
  | { name: 'stopped'; why: Stop; view?: SignIn; retryAfter?: number }
  | { name: 'unsupported' | 'insecure'; view: SignIn }
  | { name: 'expired'; view?: SignIn };

export type SignInEvent =
  /**
   * `remembered`: what this tab has shown of the same sign-in before; a sign-in that has ended tells nothing any more.
   */
  | { type: 'opened'; remembered?: SignIn }
  | { type: 'found'; view: SignIn; ability: Ability }
  | { type: 'ask' }
  /** For a passkey of before the organization moved to another RP ID. */
  | { type: 'askEarlier' }
  | { type: 'chosen'; response: AuthenticationResponseJSON }
  | { type: 'refused'; reason: string }
  | { type: 'accepted'; redirectTo: string }
  | { type: 'leave' }
  | { type: 'failed'; failure: Failed };

/** `offer` lets the browser suggest passkeys (conditional UI); `ask` opens its dialogue. */
export type SignInEffect =
  | { do: 'look' | 'offer' | 'ask' | 'askEarlier' | 'cancel' }
  | { do: 'complete'; response: AuthenticationResponseJSON }
  | { do: 'go'; to: string };

type Step = [SignInState, SignInEffect?];

/**
 * The whole behaviour of the sign-in page. An event that does not fit changes nothing: a second click, an answer that
 * comes late.
 */
export function signInStep(state: SignInState, event: SignInEvent): Step {
  const view = 'view' in state ? state.view : undefined;
  const open = state.name === 'ready' || state.name === 'stopped' || state.name === 'working';
  switch (event.type) {
    case 'opened':
      return [{ name: 'loading', ...(event.remembered && { remembered: event.remembered }) }, { do: 'look' }];
    case 'found':
      if (state.name !== 'loading') return [state];
      return event.ability === 'able'
        ? [{ name: 'ready', view: event.view }, { do: 'offer' }]
        : [{ name: event.ability, view: event.view }];
    case 'ask':
    case 'askEarlier':
      if (state.name === 'stopped' && !view) return [{ name: 'loading' }, { do: 'look' }];
      return view && (state.name === 'ready' || state.name === 'stopped')
        ? [{ name: 'working', view }, { do: event.type }]
        : [state];
    case 'chosen':
      return view && open
        ? [
            { name: 'verifying', view },
            { do: 'complete', response: event.response },
          ]
        : [state];
    case 'refused':
      // The page stays usable: the right passkey may be the next one.
      return state.name === 'verifying'
        ? [{ name: 'stopped', why: refusalOf(event.reason), view: state.view }]
        : [state];
    case 'accepted':
      return state.name === 'verifying' || state.name === 'leaving'
        ? [
            { name: 'leaving', view: state.view },
            { do: 'go', to: event.redirectTo },
          ]
        : [state];
    case 'leave':
      return view && (open || state.name === 'unsupported' || state.name === 'insecure')
        ? [{ name: 'leaving', view }, { do: 'cancel' }]
        : [state];
    case 'failed':
      return failed(state, view, event.failure);
  }
}

function failed(state: SignInState, view: SignIn | undefined, { kind, retryAfter }: Failed): Step {
  switch (kind) {
    case 'not_found':
      return [expired(view ?? (state.name === 'loading' ? state.remembered : undefined))];
    case 'rate_limited':
    case 'unavailable':
      return [{ name: 'stopped', why: kind, ...(view && { view }), ...(retryAfter !== undefined && { retryAfter }) }];
    case 'cancelled':
    case 'ceremony_expired':
    case 'unsuitable':
    case 'insecure':
      return stopped(state, kind, view);
    default:
      return stopped(state, 'passkey_invalid', view);
  }
}

function expired(view: SignIn | undefined): SignInState {
  return { name: 'expired', ...(view && { view }) };
}

/**
 * Suggestions come back only after the device said no. After the server's no it takes a click: an authenticator that
 * answers by itself would go round in circles.
 */
function stopped(state: SignInState, why: Stop, view: SignIn | undefined): Step {
  if (state.name !== 'working' && state.name !== 'verifying') return [state];
  const next: SignInState = { name: 'stopped', why, ...(view && { view }) };
  return why === 'cancelled' ? [next, { do: 'offer' }] : [next];
}

/** A reason that a later server may give is one of not being known here. */
function refusalOf(reason: string): Refusal {
  return reason === 'other_organization' ? reason : 'unknown_passkey';
}
