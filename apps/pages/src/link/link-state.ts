import type { Failed, FailureKind } from '../browser/failure.ts';
import type { WebAuthnSupport } from '../browser/webauthn-support.ts';

/** What a page shows about its link: that of a claim or of an invitation. */
export interface LinkView {
  organization: { name: string };
  state: 'open' | 'used' | 'expired' | 'withdrawn';
  /** The new passkey replaces earlier ones. */
  recovery: boolean;
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
  | { name: 'working'; link: LinkView }
  | { name: 'done'; link: LinkView; returnUrl?: string }
  | { name: 'used' | 'expired' | 'withdrawn'; link?: LinkView }
  | { name: 'unsupported' | 'insecure'; link: LinkView }
  | { name: 'unknown' | 'missing' }
  | { name: 'stopped'; why: FailureReason; link?: LinkView; retryAfter?: number };

export type LinkEvent =
  | { type: 'opened'; token: string | undefined }
  | { type: 'loaded'; link: LinkView; webAuthnSupport: WebAuthnSupport }
  | { type: 'create' }
  | { type: 'created'; returnUrl?: string }
  | { type: 'failed'; failure: Failed };

/** `load` reads the link and changes nothing; `create` follows the click. */
export type LinkEffect = 'load' | 'create';

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
      return state.name === 'loading' ? [loaded(event.link, event.webAuthnSupport)] : [state];
    case 'create':
      if (state.name === 'ready') return [{ name: 'working', link: state.link }, 'create'];
      if (state.name !== 'stopped') return [state];
      return state.link ? [{ name: 'working', link: state.link }, 'create'] : [{ name: 'loading' }, 'load'];
    case 'created':
      return state.name === 'working'
        ? [{ name: 'done', link: state.link, ...(event.returnUrl !== undefined && { returnUrl: event.returnUrl }) }]
        : [state];
    case 'failed':
      return state.name === 'loading' || state.name === 'working'
        ? [failed('link' in state ? state.link : undefined, event.failure)]
        : [state];
  }
}

/** The state of a used or expired link is shown even in a browser that does not support passkeys. */
function loaded(link: LinkView, webAuthnSupport: WebAuthnSupport): LinkState {
  return link.state === 'open' && webAuthnSupport !== 'supported'
    ? { name: webAuthnSupport, link }
    : { name: stateNames[link.state], link };
}

function failed(loadedLink: LinkView | undefined, { kind, retryAfter }: Failed): LinkState {
  const link = loadedLink && { link: loadedLink };
  switch (kind) {
    case 'unknown_link':
    case 'not_found':
      return { name: 'unknown' };
    case 'link_used':
      return { name: 'used', ...link };
    case 'link_expired':
      return { name: 'expired', ...link };
    case 'link_withdrawn':
      return { name: 'withdrawn', ...link };
    case 'signed_out':
      // These pages need no session, so this is an error of the server.
      return { name: 'stopped', why: 'unavailable', ...link };
    default:
      return { name: 'stopped', why: kind, ...link, ...(retryAfter !== undefined && { retryAfter }) };
  }
}
