import type { AuthenticationResponseJSON } from '@simplewebauthn/browser';
import { personDenialReasons, type SignIn } from '@holdfast/contracts';
import type { Failed, FailureKind } from '../browser/failure.ts';
import type { WebAuthnSupport } from '../browser/webauthn-support.ts';

/** What customers are shown is among what people are shown: only a sign-in that goes on reports a rejection here. */
const rejections = personDenialReasons;
type Rejection = (typeof rejections)[number];

/** Failures after which another attempt makes sense. */
export type FailureReason =
  | Rejection
  | Extract<
      FailureKind,
      'cancelled' | 'ceremony_expired' | 'passkey_invalid' | 'unsuitable' | 'insecure' | 'rate_limited' | 'unavailable'
    >;

export type SignInState =
  | { name: 'loading'; remembered?: SignIn }
  /** `preparing`: the options are on their way. `working`: the browser's dialogue is open. */
  | { name: 'ready' | 'preparing' | 'working' | 'verifying' | 'leaving'; view: SignIn }
  | { name: 'stopped'; why: FailureReason; view?: SignIn; retryAfter?: number }
  | { name: 'unsupported' | 'insecure'; view: SignIn }
  | { name: 'expired'; view?: SignIn };

export type SignInEvent =
  /** `remembered`: the sign-in as this tab loaded it before. The server deletes a sign-in that has ended. */
  | { type: 'opened'; remembered?: SignIn }
  | { type: 'loaded'; view: SignIn; webAuthnSupport: WebAuthnSupport }
  | { type: 'signIn' }
  /** With a passkey from before the organization changed its RP ID. */
  | { type: 'signInEarlier' }
  | { type: 'dialogue' }
  /** The customer closes the dialogue, or does not wait for it. */
  | { type: 'stop' }
  | { type: 'responded'; response: AuthenticationResponseJSON }
  | { type: 'rejected'; reason: string }
  | { type: 'accepted'; redirectTo: string }
  | { type: 'leave' }
  | { type: 'failed'; failure: Failed };

/**
 * `suggest` lets the browser suggest passkeys (conditional UI); `authenticate` opens its dialogue; `prepare` requests
 * the options for it.
 */
export type SignInEffect =
  | { do: 'load' | 'prepare' | 'suggest' | 'authenticate' | 'authenticateEarlier' | 'cancel' }
  | { do: 'complete'; response: AuthenticationResponseJSON }
  | { do: 'redirect'; to: string };

type Step = [SignInState, SignInEffect?];

/** The behaviour of the sign-in page. Unexpected events, such as a second click or a late response, change nothing. */
export function signInStep(state: SignInState, event: SignInEvent): Step {
  const view = 'view' in state ? state.view : undefined;
  const isBusy = state.name === 'preparing' || state.name === 'working';
  const canAuthenticate = state.name === 'ready' || state.name === 'stopped' || isBusy;
  switch (event.type) {
    case 'opened':
      return [{ name: 'loading', ...(event.remembered && { remembered: event.remembered }) }, { do: 'load' }];
    case 'loaded':
      if (state.name !== 'loading') return [state];
      return event.webAuthnSupport === 'supported'
        ? [{ name: 'ready', view: event.view }, { do: 'suggest' }]
        : [{ name: event.webAuthnSupport, view: event.view }];
    case 'signIn':
    case 'signInEarlier':
      if (state.name === 'stopped' && !view) return [{ name: 'loading' }, { do: 'load' }];
      return view && (state.name === 'ready' || state.name === 'stopped')
        ? [{ name: 'preparing', view }, { do: event.type === 'signIn' ? 'authenticate' : 'authenticateEarlier' }]
        : [state];
    case 'dialogue':
      return state.name === 'preparing' ? [{ name: 'working', view: state.view }] : [state];
    case 'stop':
      return view && isBusy ? [{ name: 'ready', view }, { do: 'suggest' }] : [state];
    case 'responded':
      return view && canAuthenticate
        ? [
            { name: 'verifying', view },
            { do: 'complete', response: event.response },
          ]
        : [state];
    case 'rejected':
      // The page stays usable: there may be another passkey.
      return state.name === 'verifying'
        ? [{ name: 'stopped', why: rejectionOf(event.reason), view: state.view }, { do: 'prepare' }]
        : [state];
    case 'accepted':
      return state.name === 'verifying' || state.name === 'leaving'
        ? [
            { name: 'leaving', view: state.view },
            { do: 'redirect', to: event.redirectTo },
          ]
        : [state];
    case 'leave':
      return view && (canAuthenticate || state.name === 'unsupported' || state.name === 'insecure')
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
 * Suggestions begin again only after a cancellation on the device. After a rejection by the server the customer must
 * click, because an authenticator that responds by itself would loop.
 */
function stopped(state: SignInState, why: FailureReason, view: SignIn | undefined): Step {
  if (state.name !== 'preparing' && state.name !== 'working' && state.name !== 'verifying') return [state];
  const next: SignInState = { name: 'stopped', why, ...(view && { view }) };
  return [next, { do: why === 'cancelled' ? 'suggest' : 'prepare' }];
}

/** An unknown reason, from a later version of the server, counts as an unknown passkey. */
function rejectionOf(reason: string): Rejection {
  return rejections.find((known) => known === reason) ?? 'unknown_passkey';
}
