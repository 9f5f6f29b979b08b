import { existsSync } from 'node:fs';
import { chromium, type Browser, type CDPSession, type Page } from 'playwright-core';

const paths = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** @throws Error when no browser is installed: tests must not be skipped silently */
export async function launch(): Promise<Browser> {
  const executablePath = paths.find((path) => existsSync(path));
  if (!executablePath)
    throw new Error(
      'No Chromium found. Install it (apt-get install chromium), or set HOLDFAST_NO_BROWSER=1 to skip these tests.',
    );
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

interface Authenticator {
  cdp: CDPSession;
  id: string;
}

/** A virtual platform authenticator for this page. It responds at once unless `present` is false. */
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
 * Runs in the page before its scripts. Conditional UI then waits until it is aborted, as with a customer who ignores
 * suggestions. Otherwise the virtual authenticator would choose one at once, before a test could configure it.
 */
export function ignoreSuggestions(): void {
  const get = navigator.credentials.get.bind(navigator.credentials);
  navigator.credentials.get = (options) =>
    options?.mediation === 'conditional'
      ? new Promise((_, reject) =>
          options.signal?.addEventListener('abort', () => reject(new DOMException('ended', 'AbortError'))),
        )
      : get(options);
}
