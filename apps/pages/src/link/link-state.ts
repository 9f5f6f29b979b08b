import type { Claim } from '@holdfast/contracts';
import type { Failed, FailureKind } from '../browser/failure.ts';
import type { WebAuthnSupport } from '../browser/webauthn-support.ts';

/** The server's view of a claim. */
export type ClaimView = Claim & { organization: { name: string } };

/** Failures after which another attempt makes sense. */
export type FailureReason = Extract<
  FailureKind,
  | 'cancelled'
  | 'existing'
  | 'ceremony_expired'
  | 'passkey_invalid'
  | 'unsuitable'
  | 'insecure'
  | 'rate_limited'
  | 'unavailable'
>;

export type ClaimState =
  | { name: 'loading' }
  | { name: 'ready'; claim: ClaimView }
  | { name: 'working'; claim: ClaimView }
  | { name: 'done'; claim: ClaimView; returnUrl?: string }
  | { name: 'spent' | 'expired' | 'withdrawn'; claim?: ClaimView }
  | { name: 'unsupported' | 'insecure'; claim: ClaimView }
  | { name: 'unknown' | 'missing' }
  | { name: 'stopped'; why: FailureReason; claim?: ClaimView; retryAfter?: number };

export type ClaimEvent =
  | { type: 'opened'; token: string | undefined }
  | { type: 'loaded'; claim: ClaimView; webAuthnSupport: WebAuthnSupport }
  | { type: 'create' }
  | { type: 'created'; returnUrl?: string }
  | { type: 'failed'; failure: Failed };

/** `load` reads the claim and changes nothing; `create` follows the customer's click. */
export type ClaimEffect = 'load' | 'create';

type Step = [ClaimState, ClaimEffect?];

const stateNames = { open: 'ready', claimed: 'spent', expired: 'expired', withdrawn: 'withdrawn' } as const;

/** The behaviour of the claim page. Unexpected events, such as a second click or a late response, change nothing. */
export function claimStep(state: ClaimState, event: ClaimEvent): Step {
  switch (event.type) {
    case 'opened':
      return event.token ? [{ name: 'loading' }, 'load'] : [{ name: 'missing' }];
    case 'loaded':
      return state.name === 'loading' ? [loaded(event.claim, event.webAuthnSupport)] : [state];
    case 'create':
      if (state.name === 'ready') return [{ name: 'working', claim: state.claim }, 'create'];
      if (state.name !== 'stopped') return [state];
      return state.claim ? [{ name: 'working', claim: state.claim }, 'create'] : [{ name: 'loading' }, 'load'];
    case 'created':
      return state.name === 'working'
        ? [{ name: 'done', claim: state.claim, ...(event.returnUrl !== undefined && { returnUrl: event.returnUrl }) }]
        : [state];
    case 'failed':
      return state.name === 'loading' || state.name === 'working'
        ? [failed('claim' in state ? state.claim : undefined, event.failure)]
        : [state];
  }
}

/** The state of a used or expired link is shown even in a browser that does not support passkeys. */
function loaded(claim: ClaimView, webAuthnSupport: WebAuthnSupport): ClaimState {
  return claim.state === 'open' && webAuthnSupport !== 'supported'
    ? { name: webAuthnSupport, claim }
    : { name: stateNames[claim.state], claim };
}

function failed(loadedClaim: ClaimView | undefined, { kind, retryAfter }: Failed): ClaimState {
  const claim = loadedClaim && { claim: loadedClaim };
  switch (kind) {
    case 'unknown_claim':
    case 'not_found':
      return { name: 'unknown' };
    case 'claim_spent':
      return { name: 'spent', ...claim };
    case 'claim_expired':
      return { name: 'expired', ...claim };
    case 'claim_withdrawn':
      return { name: 'withdrawn', ...claim };
    default:
      return { name: 'stopped', why: kind, ...claim, ...(retryAfter !== undefined && { retryAfter }) };
  }
}
