import { browserSupportsWebAuthnAutofill, type AuthenticationResponseJSON } from '@simplewebauthn/browser';
import type { ShownOrganization, SignIn, SignInResult } from '@holdfast/contracts';
import { apiOf, safeAddress } from '../browser/address.ts';
import { call } from '../browser/api.ts';
import { Failed, failureOf } from '../browser/failure.ts';
import { organizationOfPage } from '../browser/organization.ts';
import { hidePasskey, showName } from '../browser/passkey-signals.ts';
import { webAuthnSupport } from '../browser/webauthn-support.ts';
import { showBranding } from '../screen/branding.ts';
import { createView } from '../screen/view.ts';
import { wordsOf } from '../texts.ts';
import { signIn } from '../texts/en/sign-in.ts';
import { browserCeremonies } from './browser-ceremonies.ts';
import { Ceremonies, type RequestedOptions } from './ceremonies.ts';
import { rememberedSignIn } from './remembered-sign-in.ts';
import { signInScreen, type SignInAction } from './sign-in-screen.ts';
import { signInStep, type SignInEffect, type SignInEvent, type SignInState } from './sign-in-state.ts';

const api = apiOf(location.pathname);
const canSuggest = await browserSupportsWebAuthnAutofill().catch(() => false);
const remembered = rememberedSignIn(sessionStorage, api);
let state: SignInState = { name: 'loading' };
let ofPage: ShownOrganization | undefined;
/** The RP ID of the passkey that was used last. */
let usedRpId: string | undefined;

const view = createView<SignInAction>(wordsOf('signIn', signIn).title, (type) => send({ type }));

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

function send(event: SignInEvent): void {
  const [next, effect] = signInStep(state, event);
  state = next;
  show();
  if (state.name === 'expired' && !state.view) void showOrganization();
  if (effect) void run(effect).catch((error: unknown) => send({ type: 'failed', failure: failureOf(error) }));
}

function show(): void {
  view.show(signInScreen(state, canSuggest, ofPage));
}

/** An old or bookmarked address: nothing is known of the sign-in, but its path names the organization. */
async function showOrganization(): Promise<void> {
  ofPage ??= await organizationOfPage(location.pathname);
  if (ofPage) showBranding(ofPage);
  show();
}

async function run(effect: SignInEffect): Promise<void> {
  switch (effect.do) {
    case 'load': {
      const loaded = await call<SignIn>('GET', api);
      remembered.store(loaded);
      showBranding(loaded.organization);
      return send({ type: 'loaded', view: loaded, webAuthnSupport: webAuthnSupport() });
    }
    case 'prepare':
      return ceremonies.prepare();
    case 'suggest':
      return canSuggest ? ceremonies.suggest() : ceremonies.rest();
    case 'authenticate':
    case 'authenticateEarlier':
      return ceremonies.authenticate(effect.do === 'authenticateEarlier');
    case 'complete':
      return complete(effect.response);
    case 'cancel':
      ceremonies.stop();
      return send(eventOf(await call<SignInResult>('POST', `${api}/cancel`)));
    case 'redirect':
      // Not a form: `form-action` would block the redirect to the app that follows. With replace(), "Back" leads
      // from the app to the page before the sign-in, not to a sign-in that has ended.
      location.replace(safeAddress(effect.to, location.href) ?? unavailable());
  }
}

async function complete(response: AuthenticationResponseJSON): Promise<void> {
  const result = await call<SignInResult>('POST', `${api}/complete`, { response });
  if (usedRpId !== undefined) signal(usedRpId, response, result);
  send(eventOf(result));
}

/** What the browser's picker shall do with the passkey from now on. */
function signal(rpId: string, { id, response }: AuthenticationResponseJSON, { removed, refused }: SignInResult): void {
  if (removed) hidePasskey(rpId, id);
  if (refused === undefined && response.userHandle !== undefined && 'view' in state && state.view)
    showName(rpId, response.userHandle, state.view.organization.name);
}

/** With an address the sign-in has ended, successfully or not; the app gets the result at that address. */
function eventOf({ redirectTo, refused }: SignInResult): SignInEvent {
  return redirectTo !== undefined
    ? { type: 'accepted', redirectTo }
    : { type: 'rejected', reason: refused ?? 'unknown_passkey' };
}

function unavailable(): never {
  throw new Failed('unavailable');
}

const before = remembered.find();
if (before) showBranding(before.organization);
send({ type: 'opened', ...(before && { remembered: before }) });
