import type { Claim } from '@holdfast/contracts';
import type { Ability } from '../browser/ability.ts';
import type { Failed, FailureKind } from '../browser/failure.ts';

/** What the server tells of a claim. */
export type ClaimView = Claim & { organization: { name: string } };

/** Why nothing came of it, where another try makes sense. */
export type Stop = Extract<
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
  | { name: 'stopped'; why: Stop; claim?: ClaimView; retryAfter?: number };

export type ClaimEvent =
  | { type: 'opened'; token: string | undefined }
  | { type: 'found'; claim: ClaimView; ability: Ability }
  | { type: 'create' }
  | { type: 'created'; returnUrl?: string }
  | { type: 'failed'; failure: Failed };

/** `look` asks what the link is and changes nothing; `create` is the customer's deliberate act. */
export type ClaimEffect = 'look' | 'create';

type Step = [ClaimState, ClaimEffect?];

const ends = { open: 'ready', claimed: 'spent', expired: 'expired', withdrawn: 'withdrawn' } as const;

/**
 * The whole behaviour of the claim page. An event that does not fit changes nothing: a second click, an answer that
 * comes late.
 */
export function claimStep(state: ClaimState, event: ClaimEvent): Step {
  switch (event.type) {
    case 'opened':
      return event.token ? [{ name: 'loading' }, 'look'] : [{ name: 'missing' }];
    case 'found':
      return state.name === 'loading' ? [found(event.claim, event.ability)] : [state];
    case 'create':
      if (state.name === 'ready') return [{ name: 'working', claim: state.claim }, 'create'];
      if (state.name !== 'stopped') return [state];
      return state.claim ? [{ name: 'working', claim: state.claim }, 'create'] : [{ name: 'loading' }, 'look'];
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

/** That a link is over is worth more to know than that this browser could not have used it. */
function found(claim: ClaimView, ability: Ability): ClaimState {
  return claim.state === 'open' && ability !== 'able' ? { name: ability, claim } : { name: ends[claim.state], claim };
}

function failed(known: ClaimView | undefined, { kind, retryAfter }: Failed): ClaimState {
  const claim = known && { claim: known };
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
