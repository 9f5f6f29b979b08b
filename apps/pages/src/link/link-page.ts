import type { AcceptedPasskeys, ShownOrganization } from '@holdfast/contracts';
import { apiOf, safeAddress } from '../browser/address.ts';
import { call } from '../browser/api.ts';
import { failureOf } from '../browser/failure.ts';
import { isInAppBrowser } from '../browser/in-app.ts';
import { organizationOfPage } from '../browser/organization.ts';
import { showOnly } from '../browser/passkey-signals.ts';
import { webAuthnSupport } from '../browser/webauthn-support.ts';
import { showBranding } from '../screen/branding.ts';
import { createView } from '../screen/view.ts';
import type { LinkTexts } from '../texts.ts';
import { browserCreation } from './browser-creation.ts';
import { Creation, type RequestedOptions } from './creation.ts';
import { linkScreen, type LinkAction } from './link-screen.ts';
import {
  linkStep,
  needsOtherBrowser,
  type LinkEffect,
  type LinkEvent,
  type LinkState,
  type LinkView,
} from './link-state.ts';
import { rememberUse, returnToken, takeToken, wasUsedHere } from './link-token.ts';

/** What distinguishes the page of a claim from that of an invitation. */
export interface LinkPage<Loaded> {
  words: LinkTexts;
  /** The response of the JSON route with the path of the page, as the page shows it. */
  viewOf: (loaded: Loaded) => LinkView;
  /** The organization's addresses are for its customers. */
  forCustomers: boolean;
  /** Where to go on after the passkey was created, when the server names no address. */
  returnUrl?: string;
}

interface Completed {
  /** The passkey is to be confirmed on another device, which shows this code as well. */
  code?: string;
  returnUrl?: string;
  acceptedPasskeys?: AcceptedPasskeys;
}

/** Runs the page. Opening it reads the link and does not use it; the button creates the passkey. */
export function runLinkPage<Loaded>({ words, viewOf, returnUrl, forCustomers }: LinkPage<Loaded>): void {
  const api = apiOf(location.pathname);
  const isInApp = isInAppBrowser(navigator.userAgent);
  const environment = { address: (text: string | undefined) => safeAddress(text, location.href) };
  let token: string | undefined;
  let ofPage: ShownOrganization | undefined;
  let state: LinkState = { name: 'loading' };

  const view = createView<LinkAction>(words.title, (type) => send({ type }));

  const creation = new Creation<Completed>(
    {
      options: () => call<RequestedOptions>('POST', `${api}/options`, { token }),
      complete: (response) => call<Completed>('POST', `${api}/complete`, { token, response }),
      ...browserCreation,
    },
    {
      onDialogue: () => send({ type: 'dialogue' }),
      onCreated: () => send({ type: 'saving' }),
      onCompleted: ({ acceptedPasskeys, ...completed }) => {
        if (completed.code === undefined) rememberUse(token!);
        if (acceptedPasskeys) showOnly(acceptedPasskeys);
        send({ type: 'created', ...(returnUrl !== undefined && { returnUrl }), ...completed });
      },
      onFailure: (failure) => send({ type: 'failed', failure }),
    },
  );

  const run: Record<LinkEffect, () => void> = {
    load: () => {
      const loading = token;
      call<Loaded>('POST', api, { token }).then(
        (loaded) => {
          if (loading !== token) return;
          const usedHere = wasUsedHere(token);
          const link = viewOf(loaded);
          showBranding(link.organization);
          send({ type: 'loaded', link, webAuthnSupport: webAuthnSupport(), usedHere });
        },
        (error: unknown) => {
          if (loading === token) send({ type: 'failed', failure: failureOf(error) });
        },
      );
    },
    prepare: () => creation.prepare(),
    create: () => void creation.create(),
    stop: () => creation.stop(),
  };

  function send(event: LinkEvent): void {
    const [next, effect] = linkStep(state, event);
    state = next;
    show();
    if (state.name === 'unknown' || state.name === 'missing') void showOrganization();
    if (effect) run[effect]();
  }

  function show(): void {
    const more = { isInApp, ...(ofPage && { organization: ofPage }), ...linkToOpenElsewhere() };
    view.show(linkScreen(state, words, { ...environment, ...more }));
  }

  /** Nothing is known of the link, but the path names the organization. */
  async function showOrganization(): Promise<void> {
    const found = ofPage ?? (await organizationOfPage(location.pathname));
    if (found) showBranding(found);
    ofPage = found && (forCustomers ? found : { name: found.name });
    show();
  }

  /** The token is in the address only while the link has to be opened elsewhere. */
  function linkToOpenElsewhere(): { link?: string } {
    if (token !== undefined && needsOtherBrowser(state, isInApp)) return { link: returnToken(token) };
    if (location.hash.length > 1) takeToken();
    return {};
  }

  function open(): void {
    creation.reset();
    token = takeToken();
    send({ type: 'opened', token });
  }

  // Another link that is opened in this tab changes only the fragment.
  addEventListener('hashchange', () => {
    if (location.hash.length > 1) open();
  });
  open();
}
