import {
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  WebAuthnAbortService,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import type { SignIn, SignInResult } from '@holdfast/contracts';
import { ability } from '../browser/ability.ts';
import { apiOf, safeAddress } from '../browser/address.ts';
import { call } from '../browser/api.ts';
import { Failed, failureOf } from '../browser/failure.ts';
import { openView } from '../screen/view.ts';
import { texts } from '../texts.ts';
import { Ceremonies } from './ceremony.ts';
import { rememberedSignIn } from './remembered.ts';
import { signInScreen, type SignInAction } from './sign-in-screen.ts';
import { signInStep, type SignInEffect, type SignInEvent, type SignInState } from './sign-in-state.ts';

const api = apiOf(location.pathname);
const suggests = await browserSupportsWebAuthnAutofill().catch(() => false);
const remembered = rememberedSignIn(sessionStorage, api);
let state: SignInState = { name: 'loading' };

const view = openView<SignInAction>(texts.signIn.title, (type) => send({ type }));

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
    after: whenSeen,
  },
  (response) => send({ type: 'chosen', response }),
  (failure) => send({ type: 'failed', failure }),
);

function send(event: SignInEvent): void {
  const [next, effect] = signInStep(state, event);
  state = next;
  view.show(signInScreen(state, suggests));
  if (effect) void run(effect).catch((error: unknown) => send({ type: 'failed', failure: failureOf(error) }));
}

async function run(effect: SignInEffect): Promise<void> {
  switch (effect.do) {
    case 'look': {
      const found = await call<SignIn>('GET', api);
      remembered.keep(found);
      return send({ type: 'found', view: found, ability: ability() });
    }
    case 'offer':
      return suggests ? ceremonies.offer() : undefined;
    case 'ask':
    case 'askEarlier':
      return ceremonies.ask(effect.do === 'askEarlier');
    case 'complete':
      return send(outcomeOf(await call<SignInResult>('POST', `${api}/complete`, { response: effect.response })));
    case 'cancel':
      ceremonies.stop();
      return send(outcomeOf(await call<SignInResult>('POST', `${api}/cancel`)));
    case 'go':
      // Not a form: `form-action` would hold back the redirect to the app that follows. In place of this page: Back
      // leads from the app to where the customer was before, and not to a sign-in that has ended.
      location.replace(safeAddress(effect.to, location.href) ?? fail());
  }
}

/** With an address to go to the sign-in is over, well or not: the app is told there. */
function outcomeOf({ redirectTo, refused }: SignInResult): SignInEvent {
  return redirectTo !== undefined
    ? { type: 'accepted', redirectTo }
    : { type: 'refused', reason: refused ?? 'unknown_passkey' };
}

function fail(): never {
  throw new Failed('unavailable');
}

/** After a time, and not while nobody looks: a forgotten tab asks the server for nothing. */
function whenSeen(milliseconds: number, act: () => void): void {
  setTimeout(() => {
    if (document.visibilityState === 'visible') act();
    else document.addEventListener('visibilitychange', act, { once: true });
  }, milliseconds);
}

const before = remembered.find();
send({ type: 'opened', ...(before && { remembered: before }) });
