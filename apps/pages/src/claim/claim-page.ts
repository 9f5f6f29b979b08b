import { startRegistration, type PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { ability } from '../browser/ability.ts';
import { apiOf, safeAddress } from '../browser/address.ts';
import { call } from '../browser/api.ts';
import { failureOf } from '../browser/failure.ts';
import { openView } from '../screen/view.ts';
import { texts } from '../texts.ts';
import { claimScreen } from './claim-screen.ts';
import { claimStep, type ClaimEffect, type ClaimEvent, type ClaimState, type ClaimView } from './claim-state.ts';
import { takeToken } from './claim-token.ts';

const api = apiOf(location.pathname);
const around = { address: (text: string | undefined) => safeAddress(text, location.href) };
let token: string | undefined;
let state: ClaimState = { name: 'loading' };

const view = openView(texts.claim.title, () => void send({ type: 'create' }));

async function send(event: ClaimEvent): Promise<void> {
  const [next, effect] = claimStep(state, event);
  state = next;
  view.show(claimScreen(state, around));
  if (effect)
    await send(
      await run[effect]().catch((error: unknown): ClaimEvent => ({ type: 'failed', failure: failureOf(error) })),
    );
}

const run: Record<ClaimEffect, () => Promise<ClaimEvent>> = {
  look: async () => ({ type: 'found', claim: await call<ClaimView>('POST', api, { token }), ability: ability() }),
  create: async () => {
    const mine = { token };
    const { options } = await call<{ options: PublicKeyCredentialCreationOptionsJSON }>('POST', `${api}/options`, mine);
    const response = await startRegistration({ optionsJSON: options });
    return {
      type: 'created',
      ...(await call<{ returnUrl?: string }>('POST', `${api}/complete`, { ...mine, response })),
    };
  },
};

function open(): void {
  token = takeToken();
  void send({ type: 'opened', token });
}

// Another link opened in this very tab changes the fragment only.
addEventListener('hashchange', () => {
  if (location.hash.length > 1) open();
});
open();
