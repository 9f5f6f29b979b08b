import type { Role } from '@holdfast/contracts';
import type { Failed, FailureKind } from '../browser/failure.ts';

/** The members of a person that the page shows. */
export interface SignedInUser {
  name: string;
  email: string;
  roles: Role[];
}

/** Why a sign-in failed, from the address to which the gateway redirects. */
export type SignInFailure = 'denied' | 'failed';

export type HubState =
  | { name: 'loading' }
  | { name: 'signedOut'; failure?: SignInFailure }
  | { name: 'signedIn'; user: SignedInUser }
  | { name: 'signingOut' }
  | { name: 'stopped'; why: Extract<FailureKind, 'rate_limited' | 'unavailable' | 'insecure'>; retryAfter?: number };

export type HubEvent =
  | { type: 'loaded'; user: SignedInUser }
  | { type: 'signOut' }
  | { type: 'signedOut' }
  | { type: 'retry' }
  | { type: 'failed'; failure: Failed };

export type HubEffect = 'load' | 'signOut';

/** The behaviour of the hub's page. `failure` is that of the sign-in that has just ended. */
export function hubStep(state: HubState, event: HubEvent, failure?: SignInFailure): [HubState, HubEffect?] {
  switch (event.type) {
    case 'retry':
      return [{ name: 'loading' }, 'load'];
    case 'loaded':
      return [{ name: 'signedIn', user: event.user }];
    case 'signOut':
      return state.name === 'signedIn' ? [{ name: 'signingOut' }, 'signOut'] : [state];
    case 'signedOut':
      return [{ name: 'signedOut' }];
    case 'failed': {
      const { kind, retryAfter } = event.failure;
      if (kind === 'signed_out') return [{ name: 'signedOut', ...(failure && { failure }) }];
      const why = kind === 'rate_limited' || kind === 'insecure' ? kind : 'unavailable';
      return [{ name: 'stopped', why, ...(retryAfter !== undefined && { retryAfter }) }];
    }
  }
}
