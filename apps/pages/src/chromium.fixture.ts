import { existsSync } from 'node:fs';
import { chromium, type Browser, type CDPSession, type Page } from 'playwright-core';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** @throws when there is none: a missing browser is a failure */
export async function launch(): Promise<Browser> {
  const executablePath = places.find((place) => existsSync(place));
  if (!executablePath)
    throw new Error(
      'No Chromium found: install it (apt-get install chromium), or set HOLDFAST_NO_BROWSER=1 to leave these tests out.',
    );
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

export interface Authenticator {
  cdp: CDPSession;
  id: string;
}

/** A virtual platform authenticator, for this page; it answers at once unless `present` is false. */
export async function authenticator(page: Page, { present = true } = {}): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: present,
    },
  });
  return { cdp, id: authenticatorId };
}

/**
 * Runs in the page, before its own scripts. Suggestions (conditional mediation) then wait until they are ended, as with
 * a customer who takes none: a virtual authenticator takes one at once, and telling it not to, before it is asked, is a
 * race.
 */
export function takeNoSuggestion(): void {
  const get = navigator.credentials.get.bind(navigator.credentials);
  navigator.credentials.get = (options) =>
    options?.mediation === 'conditional'
      ? new Promise((_, reject) =>
          options.signal?.addEventListener('abort', () => reject(new DOMException('ended', 'AbortError'))),
        )
      : get(options);
}
