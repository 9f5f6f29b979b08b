import { authenticator, ignoreSuggestions } from './chromium.fixture.ts';
import type { PagesInBrowser } from './pages-in-browser.fixture.ts';
import { creationOptions, requestOptions, type Reply } from './service-stub.fixture.ts';

export const account = '/o/acme/account';
const accountChallenge = (): Reply => ({ body: { options: requestOptions() } });
export const accountView = (more: object = {}): Reply => ({
  body: {
    organization: { name: 'Acme' },
    current: 'a'.repeat(22),
    credentials: [
      {
        id: 'c1',
        credentialType: { name: 'customer', display: 'Customer account' },
        state: 'live',
        issuedAt: '2026-11-21T09:00:00.000Z',
        expiresAt: '2027-11-21T09:00:00.000Z',
        renews: true,
      },
    ],
    passkeys: [
      {
        id: 'a'.repeat(22),
        name: 'iCloud Keychain',
        synced: true,
        createdAt: '2026-11-21T09:00:00.000Z',
        lastUsedAt: '2026-11-27T09:00:00.000Z',
      },
      { id: 'b'.repeat(22), name: 'Windows Hello', synced: false, createdAt: '2026-11-23T09:00:00.000Z' },
    ],
    mayAddPasskey: true,
    sessions: [
      {
        id: 's'.repeat(43),
        signedInAt: '2026-11-27T08:00:00.000Z',
        expiresAt: '2026-11-27T22:00:00.000Z',
        passkey: 'a'.repeat(22),
        apps: [{ clientId: 'app_shop', name: 'Shop' }],
        browser: true,
      },
      {
        id: 't'.repeat(43),
        signedInAt: '2026-11-25T08:00:00.000Z',
        expiresAt: '2026-12-25T08:00:00.000Z',
        apps: [{ clientId: 'app_phone', name: 'Shop for phones' }],
        browser: false,
      },
    ],
    ...more,
  },
});

/** The secret of the session that the account page gets. */
export const accountSecret = 'S'.repeat(43);

type Routes = Record<string, Reply | (() => Reply)>;

/** Opens the account page with a passkey on the device, and clicks "Sign in". */
export async function openAccount(pages: PagesInBrowser, more: Routes = {}): Promise<void> {
  pages.service.routes = {
    'GET /organization': { body: { name: 'Acme' } },
    'POST /account/options': accountChallenge,
    'POST /account/sign-in': { body: { session: accountSecret } },
    'POST /account': accountView(),
    'POST /account/passkeys/options': () => ({ body: { options: creationOptions() } }),
    ...more,
  };
  await pages.page.addInitScript(ignoreSuggestions);
  const { cdp, id } = await authenticator(pages.page);
  await cdp.send('WebAuthn.addCredential', { authenticatorId: id, credential: await credential() });
  await pages.page.goto(pages.base + account);
  await pages.press('Sign in with a passkey');
}

/** A passkey for a virtual authenticator. */
async function credential() {
  const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ]);
  return {
    credentialId: Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64'),
    isResidentCredential: true,
    rpId: 'localhost',
    privateKey: Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64'),
    userHandle: Buffer.from('user').toString('base64'),
    signCount: 0,
  };
}
