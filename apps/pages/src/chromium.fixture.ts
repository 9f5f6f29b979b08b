import { existsSync } from 'node:fs';
import { chromium, type Browser, type CDPSession, type Page } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

/** The tests that need a browser are left out only when that is said: a missing one is a failure. */
export const withoutBrowser = process.env.HOLDFAST_NO_BROWSER === '1';

export async function launch(): Promise<Browser> {
  const executablePath = process.env.HOLDFAST_BROWSER ?? places.find((place) => existsSync(place));
  if (!executablePath) throw new Error('No Chromium found: install it (apt-get install chromium), name it in HOLDFAST_BROWSER, or set HOLDFAST_NO_BROWSER=1.');
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
    options: { protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: present },
  });
  return { cdp, id: authenticatorId };
}
