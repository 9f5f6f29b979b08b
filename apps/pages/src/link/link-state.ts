import type { ShownOrganization } from '@holdfast/contracts';
import type { Failed, FailureKind } from '../browser/failure.ts';
import type { WebAuthnSupport } from '../browser/webauthn-support.ts';

/** What a page shows about its link: that of a claim or of an invitation. */
export interface LinkView {
  organization: ShownOrganization;
  state: 'open' | 'used' | 'expired' | 'withdrawn';
  /** The new passkey replaces earlier ones. */
  recovery: boolean;
  /** The new passkey is a further one. */
  adds?: true;
  expiresAt: string;
  /** Type of the account, for people. */
  accountType?: string;
  returnUrl?: string;
}

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

export type LinkState =
  | { name: 'loading' }
  | { name: 'ready'; link: LinkView }
  /** `preparing`: the options are on their way. `working`: the dialogue is open. `saving`: it has succeeded. */
  | { name: 'preparing' | 'working' | 'saving'; link: LinkView }
  /** `code`: to be compared and confirmed on another device. */
  | { name: 'done'; link: LinkView; returnUrl?: string; code?: string }
  | { name: 'used' | 'expired' | 'withdrawn'; link?: LinkView }
  | { name: 'unsupported' | 'insecure'; link: LinkView }
  | { name: 'unknown' | 'missing' }
  | { name: 'stopped'; why: FailureReason; link?: LinkView; retryAfter?: number };

export type LinkEvent =
  | { type: 'opened'; token: string | undefined }
  /** `usedHere`: this tab has used the link. */
  | { type: 'loaded'; link: LinkView; webAuthnSupport: WebAuthnSupport; usedHere?: boolean }
  | { type: 'create' }
  | { type: 'dialogue' }
  /** The customer closes the dialogue, or does not wait for it. */
  | { type: 'stop' }
  | { type: 'saving' }
  | { type: 'created'; returnUrl?: string; code?: string }
  | { type: 'failed'; failure: Failed };

/** `load` reads the link; `prepare` requests options. Neither uses the link. `create` follows the click. */
export type LinkEffect = 'load' | 'prepare' | 'create' | 'stop';

type Step = [LinkState, LinkEffect?];

const stateNames = { open: 'ready', used: 'used', expired: 'expired', withdrawn: 'withdrawn' } as const;

/**
 * The behaviour of a page that a link opens. Unexpected events, such as a second click or a late response, change
 * nothing.
 */
export function linkStep(state: LinkState, event: LinkEvent): Step {
  switch (event.type) {
    case 'opened':
      return event.token ? [{ name: 'loading' }, 'load'] : [{ name: 'missing' }];
    case 'loaded':
      return state.name === 'loading' ? loaded(event) : [state];
    case 'create':
      if (state.name === 'ready') return [{ name: 'preparing', link: state.link }, 'create'];
      if (state.name !== 'stopped') return [state];
      return state.link ? [{ name: 'preparing', link: state.link }, 'create'] : [{ name: 'loading' }, 'load'];
    case 'dialogue':
      return state.name === 'preparing' ? [{ name: 'working', link: state.link }] : [state];
    case 'stop':
      return state.name === 'preparing' || state.name === 'working'
        ? [{ name: 'ready', link: state.link }, 'stop']
        : [state];
    case 'saving':
      return isBusy(state) ? [{ name: 'saving', link: state.link }] : [state];
    case 'created':
      return isBusy(state)
        ? [
            {
              name: 'done',
              link: state.link,
              ...(event.returnUrl !== undefined && { returnUrl: event.returnUrl }),
              ...(event.code !== undefined && { code: event.code }),
            },
          ]
        : [state];
    case 'failed':
      return state.name === 'loading' || isBusy(state) ? failed(state, event.failure) : [state];
  }
}

type Busy = Extract<LinkState, { name: 'preparing' | 'working' | 'saving' }>;

function isBusy(state: LinkState): state is Busy {
  return state.name === 'preparing' || state.name === 'working' || state.name === 'saving';
}

/** The state of a used or expired link is shown even in a browser that does not support passkeys. */
function loaded({ link, webAuthnSupport, usedHere = false }: Extract<LinkEvent, { type: 'loaded' }>): Step {
  if (link.state === 'used' && usedHere)
    return [{ name: 'done', link, ...(link.returnUrl !== undefined && { returnUrl: link.returnUrl }) }];
  if (link.state !== 'open') return [{ name: stateNames[link.state], link }];
  return webAuthnSupport === 'supported' ? [{ name: 'ready', link }, 'prepare'] : [{ name: webAuthnSupport, link }];
}

/** After these the next attempt needs new options, which are requested at once. */
const needOptions: readonly FailureKind[] = ['ceremony_expired', 'passkey_invalid'];

function failed(state: Busy | { name: 'loading' }, failure: Failed): Step {
  const next = failedState('link' in state ? state.link : undefined, failure);
  return needOptions.includes(failure.kind) ? [next, 'prepare'] : [next];
}

function failedState(loadedLink: LinkView | undefined, { kind, retryAfter }: Failed): LinkState {
  const link = loadedLink && { link: loadedLink };
  switch (kind) {
    case 'unknown_link':
    case 'not_found':
      return { name: 'unknown' };
    case 'link_used':
      return { name: 'used', ...link };
    case 'link_expired':
      return { name: 'expired', ...link };
    // `changed`: the customer can add no passkey any more.
    case 'link_withdrawn':
    case 'changed':
      return { name: 'withdrawn', ...link };
    case 'signed_out':
      // These pages need no session, so this is an error of the server.
      return { name: 'stopped', why: 'unavailable', ...link };
    default:
      return { name: 'stopped', why: kind, ...link, ...(retryAfter !== undefined && { retryAfter }) };
  }
}

/**
 * Whether the link should be opened elsewhere: in this browser no passkey can be created. Inside another app that shows
 * only when the browser refuses, in the same way as a customer who cancels.
 */
export function needsOtherBrowser(state: LinkState, isInApp: boolean): boolean {
  if (state.name === 'unsupported') return true;
  const refusals: readonly FailureReason[] = ['cancelled', 'unsuitable', 'passkey_invalid'];
  return isInApp && state.name === 'stopped' && refusals.includes(state.why);
}
