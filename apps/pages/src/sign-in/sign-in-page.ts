import {
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  WebAuthnAbortService,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import type { SignIn, SignInResult } from '@holdfast/contracts';
import { apiOf, safeAddress } from '../browser/address.ts';
import { call } from '../browser/api.ts';
import { Failed, failureOf } from '../browser/failure.ts';
import { webAuthnSupport } from '../browser/webauthn-support.ts';
import { createView } from '../screen/view.ts';
import { texts } from '../texts.ts';
import { Ceremonies } from './ceremonies.ts';
import { rememberedSignIn } from './remembered-sign-in.ts';
import { signInScreen, type SignInAction } from './sign-in-screen.ts';
import { signInStep, type SignInEffect, type SignInEvent, type SignInState } from './sign-in-state.ts';

const api = apiOf(location.pathname);
const canSuggest = await browserSupportsWebAuthnAutofill().catch(() => false);
const remembered = rememberedSignIn(sessionStorage, api);
let state: SignInState = { name: 'loading' };

const view = createView<SignInAction>(texts.signIn.title, (type) => send({ type }));

const ceremonies = new Ceremonies(
  {
    options: async (earlier) => {
      const { options, earlierRpId } = await call<{
        options: PublicKeyCredentialRequestOptionsJSON;
        earlierRpId?: string;
      }>('POST', `${api}/options`);
      return earlier && earlierRpId !== undefined ? { ...options, rpId: earlierRpId } : options;
    },
    authenticate: (optionsJSON, useBrowserAutofill) => startAuthentication({ optionsJSON, useBrowserAutofill }),
    abort: () => WebAuthnAbortService.cancelCeremony(),
    after: afterVisible,
  },
  (response) => send({ type: 'responded', response }),
  (failure) => send({ type: 'failed', failure }),
);

function send(event: SignInEvent): void {
  const [next, effect] = signInStep(state, event);
  state = next;
  view.show(signInScreen(state, canSuggest));
  if (effect) void run(effect).catch((error: unknown) => send({ type: 'failed', failure: failureOf(error) }));
}

async function run(effect: SignInEffect): Promise<void> {
  switch (effect.do) {
    case 'load': {
      const loaded = await call<SignIn>('GET', api);
      remembered.store(loaded);
      return send({ type: 'loaded', view: loaded, webAuthnSupport: webAuthnSupport() });
    }
    case 'suggest':
      return canSuggest ? ceremonies.suggest() : undefined;
    case 'authenticate':
    case 'authenticateEarlier':
      return ceremonies.authenticate(effect.do === 'authenticateEarlier');
    case 'complete':
      return send(eventOf(await call<SignInResult>('POST', `${api}/complete`, { response: effect.response })));
    case 'cancel':
      ceremonies.stop();
      return send(eventOf(await call<SignInResult>('POST', `${api}/cancel`)));
    case 'redirect':
      // Not a form: `form-action` would block the redirect to the app that follows. With replace(), "Back" leads
      // from the app to the page before the sign-in, not to a sign-in that has ended.
      location.replace(safeAddress(effect.to, location.href) ?? unavailable());
  }
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

/** Also waits until the tab is visible, so that a tab in the background sends no requests. */
function afterVisible(delayMs: number, callback: () => void): void {
  setTimeout(() => {
    if (document.visibilityState === 'visible') callback();
    else document.addEventListener('visibilitychange', callback, { once: true });
  }, delayMs);
}

const before = remembered.find();
send({ type: 'opened', ...(before && { remembered: before }) });
