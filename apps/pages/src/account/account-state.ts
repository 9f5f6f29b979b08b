import type { AuthenticationResponseJSON } from '@simplewebauthn/browser';
import type { CustomerAccount, CustomerSession, ShownOrganization } from '@holdfast/contracts';
import type { Failed, FailureKind } from '../browser/failure.ts';
import type { WebAuthnSupport } from '../browser/webauthn-support.ts';

/** What the page shows once it is signed in. */
export interface AccountView extends CustomerAccount {
  organization: ShownOrganization;
  /** Id of the passkey that signed in. */
  current: string;
  sessions: CustomerSession[];
}

/** What has just been done, or why it was not. */
export type Notice =
  'added' | 'renamed' | 'removed' | 'ended' | 'changed' | 'notAdded' | 'alreadyHere' | 'linkEnded' | 'failed';

const refusals = ['unknown_passkey', 'other_organization', 'counter_went_back', 'no_live_credential'] as const;
export type Refusal = (typeof refusals)[number];

export type FailureReason = Extract<
  FailureKind,
  'cancelled' | 'ceremony_expired' | 'passkey_invalid' | 'unsuitable' | 'insecure' | 'rate_limited' | 'unavailable'
>;

/** A passkey of another device, before it is confirmed. */
export interface MadePasskey {
  code: string;
  /** Its provider, if it is known. */
  name?: string;
}

export type AccountState =
  | { name: 'loading' }
  | { name: 'unknown' }
  | { name: 'unsupported' | 'insecure'; organization: ShownOrganization }
  /** `why`: how the page came to be signed out. */
  | { name: 'signedOut'; organization: ShownOrganization; why?: 'ended' | 'left' }
  /** `preparing`: the options are on their way. `working`: the browser's dialogue is open. */
  | { name: 'preparing' | 'working' | 'verifying'; organization: ShownOrganization }
  | { name: 'refused'; organization: ShownOrganization; reason: Refusal }
  | { name: 'stopped'; why: FailureReason; organization?: ShownOrganization; retryAfter?: number }
  | { name: 'account'; view: AccountView; notice?: Notice }
  | { name: 'adding'; step: 'preparing' | 'working' | 'saving'; view: AccountView }
  | { name: 'renaming' | 'removing'; view: AccountView; passkey: string }
  /** `made`: another device has made a passkey with the link. */
  | { name: 'linking'; view: AccountView; address: string; made?: MadePasskey }
  | { name: 'busy'; view: AccountView };

export type AccountEvent =
  | { type: 'loaded'; organization: ShownOrganization; webAuthnSupport: WebAuthnSupport }
  | {
      type:
        | 'signIn'
        | 'dialogue'
        | 'stop'
        | 'signedIn'
        | 'add'
        | 'addElsewhere'
        | 'created'
        | 'back'
        | 'endAll'
        | 'signOut'
        | 'left';
    }
  | { type: 'responded'; response: AuthenticationResponseJSON }
  | { type: 'refused'; reason: string }
  | { type: 'linked'; address: string }
  | { type: 'made'; made: MadePasskey }
  | { type: 'read'; view: AccountView; notice?: Notice }
  | { type: 'rename' | 'remove' | 'end'; id: string }
  | { type: 'confirm'; text?: string | undefined }
  | { type: 'failed'; failure: Failed };

export type AccountEffect =
  | {
      do:
        | 'load'
        | 'prepare'
        | 'authenticate'
        | 'suggest'
        | 'add'
        | 'stopAdding'
        | 'createLink'
        | 'watchLink'
        | 'endLink'
        | 'signOut';
    }
  | { do: 'confirmLink'; code: string }
  | { do: 'read'; notice?: Notice }
  | { do: 'complete'; response: AuthenticationResponseJSON }
  | { do: 'rename'; passkey: string; name: string }
  | { do: 'remove'; passkey: string }
  | { do: 'end'; session?: string };

type Step = [AccountState, AccountEffect?];

/** The behaviour of the account page. Unexpected events, such as a second click, change nothing. */
export function accountStep(state: AccountState, event: AccountEvent): Step {
  switch (event.type) {
    case 'loaded':
      if (state.name !== 'loading') return [state];
      return event.webAuthnSupport === 'supported'
        ? [{ name: 'signedOut', organization: event.organization }, { do: 'suggest' }]
        : [{ name: event.webAuthnSupport, organization: event.organization }];
    case 'failed':
      return failed(state, event.failure);
    case 'left':
      return 'view' in state
        ? [{ name: 'signedOut', organization: state.view.organization, why: 'left' }, { do: 'prepare' }]
        : [state];
    default:
      return 'view' in state ? inAccount(state, event) : signingIn(state, event);
  }
}

function signingIn(state: Exclude<AccountState, { view: AccountView }>, event: AccountEvent): Step {
  const organization = 'organization' in state ? state.organization : undefined;
  if (!organization)
    return event.type === 'signIn' && state.name === 'stopped' ? [{ name: 'loading' }, { do: 'load' }] : [state];
  const isIdle = state.name === 'signedOut' || state.name === 'refused' || state.name === 'stopped';
  const isBusy = state.name === 'preparing' || state.name === 'working';
  switch (event.type) {
    case 'signIn':
      return isIdle ? [{ name: 'preparing', organization }, { do: 'authenticate' }] : [state];
    case 'dialogue':
      return state.name === 'preparing' ? [{ name: 'working', organization }] : [state];
    case 'stop':
      return isBusy ? [{ name: 'signedOut', organization }, { do: 'suggest' }] : [state];
    case 'responded':
      return isIdle || isBusy
        ? [
            { name: 'verifying', organization },
            { do: 'complete', response: event.response },
          ]
        : [state];
    case 'refused':
      return state.name === 'verifying'
        ? [{ name: 'refused', organization, reason: refusalOf(event.reason) }, { do: 'prepare' }]
        : [state];
    case 'signedIn':
      return state.name === 'verifying' ? [state, { do: 'read' }] : [state];
    case 'read':
      return state.name === 'verifying' ? [{ name: 'account', view: event.view }] : [state];
    default:
      return [state];
  }
}

function inAccount(state: Extract<AccountState, { view: AccountView }>, event: AccountEvent): Step {
  const { view } = state;
  if (event.type === 'read')
    return [{ name: 'account', view: event.view, ...(event.notice && { notice: event.notice }) }];
  switch (state.name) {
    case 'account':
      return chosen(view, event) ?? [state];
    case 'adding':
      if (event.type === 'dialogue' && state.step === 'preparing') return [{ ...state, step: 'working' }];
      if (event.type === 'created') return [{ ...state, step: 'saving' }];
      return event.type === 'stop' && state.step !== 'saving'
        ? [{ name: 'account', view }, { do: 'stopAdding' }]
        : [state];
    case 'renaming':
      if (event.type === 'back') return [{ name: 'account', view }];
      return event.type === 'confirm' && event.text?.trim()
        ? [
            { name: 'busy', view },
            { do: 'rename', passkey: state.passkey, name: event.text },
          ]
        : [state];
    case 'removing':
      if (event.type === 'back') return [{ name: 'account', view }];
      return event.type === 'confirm'
        ? [
            { name: 'busy', view },
            { do: 'remove', passkey: state.passkey },
          ]
        : [state];
    case 'linking':
      if (event.type === 'made') return [{ ...state, made: event.made }];
      if (event.type === 'back') return [{ name: 'busy', view }, { do: 'endLink' }];
      return event.type === 'confirm' && state.made
        ? [
            { name: 'busy', view },
            { do: 'confirmLink', code: state.made.code },
          ]
        : [state];
    case 'busy':
      return event.type === 'linked'
        ? [{ name: 'linking', view, address: event.address }, { do: 'watchLink' }]
        : [state];
  }
}

/** What a customer chooses on the page itself. */
function chosen(view: AccountView, event: AccountEvent): Step | undefined {
  switch (event.type) {
    case 'add':
      return [{ name: 'adding', step: 'preparing', view }, { do: 'add' }];
    case 'addElsewhere':
      return [{ name: 'busy', view }, { do: 'createLink' }];
    case 'rename':
      return [{ name: 'renaming', view, passkey: event.id }];
    case 'remove':
      return [{ name: 'removing', view, passkey: event.id }];
    case 'end':
      return [
        { name: 'busy', view },
        { do: 'end', session: event.id },
      ];
    case 'endAll':
      return [{ name: 'busy', view }, { do: 'end' }];
    case 'signOut':
      return [{ name: 'busy', view }, { do: 'signOut' }];
    default:
      return undefined;
  }
}

function failed(state: AccountState, { kind, retryAfter }: Failed): Step {
  if ('view' in state) return failedInAccount(state, kind);
  const organization = 'organization' in state ? { organization: state.organization! } : {};
  const seconds = retryAfter === undefined ? {} : { retryAfter };
  switch (kind) {
    case 'not_found':
      return [{ name: 'unknown' }];
    case 'cancelled':
      return [{ name: 'stopped', why: kind, ...organization }, { do: 'suggest' }];
    case 'rate_limited':
    case 'unavailable':
      return [{ name: 'stopped', why: kind, ...organization, ...seconds }];
    case 'ceremony_expired':
    case 'unsuitable':
    case 'insecure':
      return [{ name: 'stopped', why: kind, ...organization }, { do: 'prepare' }];
    default:
      return [{ name: 'stopped', why: 'passkey_invalid', ...organization }, { do: 'prepare' }];
  }
}

function failedInAccount(state: Extract<AccountState, { view: AccountView }>, kind: FailureKind): Step {
  const { view } = state;
  switch (kind) {
    case 'signed_out':
      return [{ name: 'signedOut', organization: view.organization, why: 'ended' }, { do: 'prepare' }];
    case 'existing':
      return [{ name: 'account', view, notice: 'alreadyHere' }];
    case 'link_expired':
      return [{ name: 'account', view, notice: 'linkEnded' }];
    // The response to an earlier attempt was lost: the passkey may be there.
    case 'ceremony_expired':
    case 'changed':
      return [
        { name: 'busy', view },
        { do: 'read', notice: 'changed' },
      ];
    case 'unavailable':
      return [{ name: 'account', view, notice: 'failed' }];
    default:
      return [{ name: 'account', view, notice: state.name === 'adding' ? 'notAdded' : 'failed' }];
  }
}

/** An unknown reason, from a later version of the server, counts as an unknown passkey. */
function refusalOf(reason: string): Refusal {
  return refusals.find((known) => known === reason) ?? 'unknown_passkey';
}
