import { browserSupportsWebAuthnAutofill, type AuthenticationResponseJSON } from '@simplewebauthn/browser';
import type { AcceptedPasskeys, ShownOrganization, SignInResult } from '@holdfast/contracts';
import { apiOf } from '../browser/address.ts';
import { afterVisible } from '../browser/after-visible.ts';
import { call } from '../browser/api.ts';
import { Failed, failureOf } from '../browser/failure.ts';
import { hidePasskey, showOnly } from '../browser/passkey-signals.ts';
import { webAuthnSupport } from '../browser/webauthn-support.ts';
import { browserCreation } from '../link/browser-creation.ts';
import { Creation, type RequestedOptions as CreationOptions } from '../link/creation.ts';
import { showBranding } from '../screen/branding.ts';
import { createView } from '../screen/view.ts';
import { browserCeremonies } from '../sign-in/browser-ceremonies.ts';
import { Ceremonies, type RequestedOptions } from '../sign-in/ceremonies.ts';
import { wordsOf } from '../texts.ts';
import { account } from '../texts/en/account.ts';
import { accountScreen, type AccountAction } from './account-screen.ts';
import {
  accountStep,
  type AccountEffect,
  type AccountEvent,
  type AccountState,
  type AccountView,
  type MadePasskey,
  type Notice,
} from './account-state.ts';

type LinkStatus = { state: string } & Partial<MadePasskey>;
interface Changed {
  acceptedPasskeys?: AcceptedPasskeys;
}

/** A person compares the codes, so a few seconds matter to nobody. */
const watchIntervalMs = 2000;
const api = apiOf(location.pathname);
const organizationApi = api.replace(/account$/, 'organization');
const canSuggest = await browserSupportsWebAuthnAutofill().catch(() => false);
let state: AccountState = { name: 'loading' };
/** The secret of the session. It is in the memory of this page alone: after a reload the customer signs in again. */
let session: string | undefined;
/** The RP ID of the passkey that was used last. */
let usedRpId: string | undefined;

const view = createView<AccountAction>(wordsOf('account', account).title, (action, text) => {
  const [type, id] = action.split(':') as [AccountEvent['type'], string?];
  send((id === undefined ? { type, text } : { type, id }) as AccountEvent);
});

const ceremonies = new Ceremonies(
  {
    options: () => call<RequestedOptions>('POST', `${api}/options`),
    ...browserCeremonies,
  },
  {
    onDialogue: () => send({ type: 'dialogue' }),
    onResponse: (response, rpId) => {
      usedRpId = rpId;
      send({ type: 'responded', response });
    },
    onFailure: (failure) => send({ type: 'failed', failure }),
  },
);

const creation = new Creation<Changed>(
  {
    options: () => inSession<CreationOptions>('/passkeys/options'),
    complete: (response) => inSession<Changed>('/passkeys/add', { response }),
    ...browserCreation,
  },
  {
    onDialogue: () => send({ type: 'dialogue' }),
    onCreated: () => send({ type: 'created' }),
    onCompleted: (added) => {
      creation.reset();
      signal(added);
      run({ do: 'read', notice: 'added' });
    },
    onFailure: (failure) => send({ type: 'failed', failure }),
  },
);

function send(event: AccountEvent): void {
  const [next, effect] = accountStep(state, event);
  state = next;
  view.show(accountScreen(state, canSuggest));
  if (!('view' in state) && state.name !== 'verifying') session = undefined;
  if (effect) run(effect);
}

function run(effect: AccountEffect): void {
  work(effect).catch((error: unknown) => send({ type: 'failed', failure: failureOf(error) }));
}

async function work(effect: AccountEffect): Promise<void> {
  switch (effect.do) {
    case 'load': {
      // Meanwhile the options arrive.
      ceremonies.prepare();
      const organization = await call<ShownOrganization>('GET', organizationApi);
      showBranding(organization);
      return send({ type: 'loaded', organization, webAuthnSupport: webAuthnSupport() });
    }
    case 'prepare':
      return ceremonies.prepare();
    case 'suggest':
      return canSuggest ? ceremonies.suggest() : ceremonies.rest();
    case 'authenticate':
      return ceremonies.authenticate();
    case 'complete':
      return complete(effect.response);
    case 'read':
      return read(effect.notice);
    case 'add':
      return creation.create();
    case 'stopAdding':
      return creation.stop();
    case 'createLink': {
      const { address } = await inSession<{ address: string }>('/link');
      return send({ type: 'linked', address });
    }
    case 'watchLink':
      return watchLink();
    case 'confirmLink':
      signal(await inSession<Changed>('/link/confirm', { code: effect.code }));
      return read('added');
    case 'endLink':
      await inSession('/link/end');
      return read();
    case 'rename':
      await inSession('/passkeys/rename', { passkey: effect.passkey, name: effect.name });
      return read('renamed');
    case 'remove':
      signal(await inSession<Changed>('/passkeys/remove', { passkey: effect.passkey }));
      return read('removed');
    case 'end':
      await inSession('/sessions/end', effect.session === undefined ? {} : { only: effect.session });
      return read('ended');
    case 'signOut':
      await inSession('/sign-out');
      return send({ type: 'left' });
  }
}

async function complete(response: AuthenticationResponseJSON): Promise<void> {
  const result = await call<{ session?: string } & SignInResult>('POST', `${api}/sign-in`, { response });
  if (result.removed && usedRpId !== undefined) hidePasskey(usedRpId, response.id);
  if (result.session === undefined) return send({ type: 'refused', reason: result.refused ?? 'unknown_passkey' });
  session = result.session;
  send({ type: 'signedIn' });
}

/** Asks what has become of the link as long as the page shows it, and not while the tab is in the background. */
async function watchLink(): Promise<void> {
  if (state.name !== 'linking' || state.made) return;
  const { address } = state;
  const found = await inSession<LinkStatus>('/link/state').catch(laterWhenUnavailable);
  // Meanwhile the customer may have gone back, and made another link.
  if (accountAt(address) === undefined) return;
  const { code, name } = found ?? {};
  // Another tab has confirmed it.
  if (found?.state === 'confirmed') return read('added');
  if (code !== undefined) return send({ type: 'made', made: { code, ...(name !== undefined && { name }) } });
  if (found?.state === 'none') throw new Failed('link_expired');
  afterVisible(watchIntervalMs, () => run({ do: 'watchLink' }));
}

/** A question that was lost is asked again: the link works meanwhile. */
function laterWhenUnavailable(error: unknown): undefined {
  const { kind } = failureOf(error);
  if (kind !== 'unavailable' && kind !== 'rate_limited') throw error;
}

/** The state that shows this link. */
function accountAt(address: string): AccountState | undefined {
  return state.name === 'linking' && state.address === address ? state : undefined;
}

async function read(notice?: Notice): Promise<void> {
  const loaded = await inSession<AccountView>('');
  send({ type: 'read', view: loaded, ...(notice && { notice }) });
  // The dialogue opens at the click.
  if (loaded.mayAddPasskey) creation.prepare();
}

function inSession<T>(path: string, body: object = {}): Promise<T> {
  return call<T>('POST', api + path, { session, ...body });
}

function signal({ acceptedPasskeys }: Changed): void {
  if (acceptedPasskeys) showOnly(acceptedPasskeys);
}

view.show(accountScreen(state, canSuggest));
run({ do: 'load' });
