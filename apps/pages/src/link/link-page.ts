import { startRegistration, type PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { apiOf, safeAddress } from '../browser/address.ts';
import { call } from '../browser/api.ts';
import { failureOf } from '../browser/failure.ts';
import { webAuthnSupport } from '../browser/webauthn-support.ts';
import { createView } from '../screen/view.ts';
import type { LinkTexts } from '../texts.ts';
import { linkScreen } from './link-screen.ts';
import { linkStep, type LinkEffect, type LinkEvent, type LinkState, type LinkView } from './link-state.ts';
import { takeToken } from './link-token.ts';

/** What distinguishes the page of a claim from that of an invitation. */
export interface LinkPage<Loaded> {
  words: LinkTexts;
  /** The response of the JSON route with the path of the page, as the page shows it. */
  viewOf: (loaded: Loaded) => LinkView;
  /** Where to go on after the passkey was created, when the server names no address. */
  returnUrl?: string;
}

/** Runs the page. Opening it reads the link and changes nothing; the button creates the passkey. */
export function runLinkPage<Loaded>({ words, viewOf, returnUrl }: LinkPage<Loaded>): void {
  const api = apiOf(location.pathname);
  const environment = { address: (text: string | undefined) => safeAddress(text, location.href) };
  let token: string | undefined;
  let state: LinkState = { name: 'loading' };

  const view = createView(words.title, () => void send({ type: 'create' }));

  const run: Record<LinkEffect, () => Promise<LinkEvent>> = {
    load: async () => ({
      type: 'loaded',
      link: viewOf(await call<Loaded>('POST', api, { token })),
      webAuthnSupport: webAuthnSupport(),
    }),
    create: async () => {
      const body = { token };
      const { options } = await call<{ options: PublicKeyCredentialCreationOptionsJSON }>(
        'POST',
        `${api}/options`,
        body,
      );
      const response = await startRegistration({ optionsJSON: options });
      const completed = await call<{ returnUrl?: string }>('POST', `${api}/complete`, { ...body, response });
      return { type: 'created', ...(returnUrl !== undefined && { returnUrl }), ...completed };
    },
  };

  async function send(event: LinkEvent): Promise<void> {
    const [next, effect] = linkStep(state, event);
    state = next;
    view.show(linkScreen(state, words, environment));
    if (effect)
      await send(
        await run[effect]().catch((error: unknown): LinkEvent => ({ type: 'failed', failure: failureOf(error) })),
      );
  }

  function open(): void {
    token = takeToken();
    void send({ type: 'opened', token });
  }

  // Another link that is opened in this tab changes only the fragment.
  addEventListener('hashchange', () => {
    if (location.hash.length > 1) open();
  });
  open();
}
