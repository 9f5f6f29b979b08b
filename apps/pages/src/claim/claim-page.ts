import { startRegistration, type PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { apiOf, safeAddress } from '../browser/address.ts';
import { call } from '../browser/api.ts';
import { failureOf } from '../browser/failure.ts';
import { webAuthnSupport } from '../browser/webauthn-support.ts';
import { createView } from '../screen/view.ts';
import { texts } from '../texts.ts';
import { claimScreen } from '../link/link-screen.ts';
import { claimStep, type ClaimEffect, type ClaimEvent, type ClaimState, type ClaimView } from '../link/link-state.ts';
import { takeToken } from '../link/link-token.ts';

const api = apiOf(location.pathname);
const environment = { address: (text: string | undefined) => safeAddress(text, location.href) };
let token: string | undefined;
let state: ClaimState = { name: 'loading' };

const view = createView(texts.claim.title, () => void send({ type: 'create' }));

async function send(event: ClaimEvent): Promise<void> {
  const [next, effect] = claimStep(state, event);
  state = next;
  view.show(claimScreen(state, environment));
  if (effect)
    await send(
      await run[effect]().catch((error: unknown): ClaimEvent => ({ type: 'failed', failure: failureOf(error) })),
    );
}

const run: Record<ClaimEffect, () => Promise<ClaimEvent>> = {
  load: async () => ({
    type: 'loaded',
    claim: await call<ClaimView>('POST', api, { token }),
    webAuthnSupport: webAuthnSupport(),
  }),
  create: async () => {
    const body = { token };
    const { options } = await call<{ options: PublicKeyCredentialCreationOptionsJSON }>('POST', `${api}/options`, body);
    const response = await startRegistration({ optionsJSON: options });
    return {
      type: 'created',
      ...(await call<{ returnUrl?: string }>('POST', `${api}/complete`, { ...body, response })),
    };
  },
};

function open(): void {
  token = takeToken();
  void send({ type: 'opened', token });
}

// Another link that is opened in this tab changes only the fragment.
addEventListener('hashchange', () => {
  if (location.hash.length > 1) open();
});
open();
