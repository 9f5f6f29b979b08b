// The account page in a browser, with a virtual authenticator.
import { describe, expect, test } from '@jest/globals';
import { account, accountSecret, openAccount } from './account.fixture.ts';
import { authenticator } from './chromium.fixture.ts';
import { PagesInBrowser } from './pages-in-browser.fixture.ts';
import { creationOptions, problem } from './service-stub.fixture.ts';

const suite = process.env.HOLDFAST_NO_BROWSER === '1' ? describe.skip : describe;

suite('the account page', () => {
  const pages = new PagesInBrowser();
  const { service } = pages;
  async function signedIn(more: Parameters<typeof openAccount>[1] = {}): Promise<void> {
    await openAccount(pages, more);
    await pages.page.getByText('For your safety').waitFor();
  }
  const group = (name: string) => pages.page.getByRole('group', { name });
  const bodyOf = (route: string) => service.requests.find((request) => request.route === route)?.body;

  test('shows what the customer holds, the passkeys and where they are signed in', async () => {
    await signedIn();
    for (const text of [
      'Valid until 21 November 2027',
      'iCloud Keychain (used now)',
      'Shop for phones',
      'Not used yet',
    ])
      await pages.page.getByText(text).waitFor();
    expect(bodyOf('POST /account')).toEqual({ session: accountSecret });
    // The secret is in the memory of the page alone.
    const { cookies, local, session } = await pages.page.evaluate(() => ({
      cookies: document.cookie,
      local: localStorage.length,
      session: sessionStorage.length,
    }));
    expect([cookies, local, session, pages.page.url().includes(accountSecret)]).toEqual(['', 0, 0, false]);
    await pages.page.reload();
    await pages.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  });

  test('adds a passkey at the click, with options that are there already', async () => {
    await signedIn({ 'POST /account/passkeys/add': { body: { acceptedPasskeys: accepted() } } });
    while (service.count('POST /account/passkeys/options') === 0) await pages.page.waitForTimeout(20);
    await pages.press('Add a passkey on this device');
    await pages.page.getByText('Your passkey has been added.').waitFor();
    expect(bodyOf('POST /account/passkeys/add')).toEqual({ session: accountSecret, response: expect.any(Object) });
  });

  test('makes a link for another device, and confirms the code that both show', async () => {
    let state: object = { state: 'open' };
    let asked = 0;
    await signedIn({
      'POST /account/link': { body: { address: `${pages.base}/o/acme/passkey#${'T'.repeat(43)}` } },
      // A lost response does not end it.
      'POST /account/link/state': () => (++asked === 2 ? { status: 503, body: {} } : { body: state }),
      'POST /account/link/confirm': { body: { acceptedPasskeys: accepted() } },
    });
    await pages.press('Add a passkey on another device');
    await pages.heading('Open this on your other device');
    await pages.page.getByRole('img', { name: 'Scan this code' }).waitFor();
    while (asked < 2) await pages.page.waitForTimeout(50);
    state = { state: 'created', code: '7F3K', name: 'Windows Hello' };
    await pages.heading('Does your other device show this code?');
    await pages.page.getByText('7F3K').waitFor();
    await pages.press('Yes, add this passkey');
    await pages.page.getByText('Your passkey has been added.').waitFor();
    expect(bodyOf('POST /account/link/confirm')).toEqual({ session: accountSecret, code: '7F3K' });
  });

  test('ends the link when the customer goes back, and says when it has ended by itself', async () => {
    let state = 'open';
    await signedIn({
      'POST /account/link': { body: { address: `${pages.base}/o/acme/passkey#${'T'.repeat(43)}` } },
      'POST /account/link/state': () => ({ body: { state } }),
      'POST /account/link/end': { body: {} },
    });
    await pages.press('Add a passkey on another device');
    await pages.press('Back');
    await pages.page.getByText('For your safety').waitFor();
    expect(service.count('POST /account/link/end')).toBe(1);
    state = 'none';
    await pages.press('Add a passkey on another device');
    await pages.page.getByText('The link has ended.').waitFor();
  });

  test('on the other device the passkey is made, and its code is shown', async () => {
    service.routes = {
      'POST /passkey': {
        body: { organization: { name: 'Acme' }, state: 'open', expiresAt: '2026-11-27T10:10:00.000Z' },
      },
      'POST /passkey/options': () => ({ body: { options: creationOptions() } }),
      'POST /passkey/complete': { body: { code: '7F3K' } },
    };
    await authenticator(pages.page);
    await pages.page.goto(`${pages.base}/o/acme/passkey#${'T'.repeat(43)}`);
    await pages.heading('Add a passkey');
    await pages.press('Create my passkey');
    await pages.heading('Now confirm it on your other device');
    await pages.page.getByText('7F3K').waitFor();
  });

  test('says so when the limit was reached meanwhile, and when the server cannot be reached', async () => {
    let reply = problem(409, 'invalid_state');
    await signedIn({ 'POST /account/passkeys/add': () => reply });
    await pages.press('Add a passkey on this device');
    await pages.page.getByText('Something has changed meanwhile.').waitFor();
    reply = { status: 503, body: {} };
    await pages.press('Add a passkey on this device');
    await pages.page.getByText('That did not work.').waitFor();
  });

  test('renames by the Enter key, and removes after a question', async () => {
    await signedIn({
      'POST /account/passkeys/rename': { body: {} },
      'POST /account/passkeys/remove': { body: { acceptedPasskeys: accepted() } },
    });
    await group('Windows Hello').getByRole('button', { name: 'Rename' }).click();
    await pages.page.getByLabel('Name of the passkey').fill('Work laptop');
    await pages.page.keyboard.press('Enter');
    await pages.page.getByText('The passkey has its new name.').waitFor();
    expect(bodyOf('POST /account/passkeys/rename')).toEqual({
      session: accountSecret,
      passkey: 'b'.repeat(22),
      name: 'Work laptop',
    });
    await group('iCloud Keychain (used now)').getByRole('button', { name: 'Remove' }).click();
    await pages.heading('Remove “iCloud Keychain”?');
    await pages.page.getByText('this page signs you out too').waitFor();
    await pages.press('Back');
    expect(service.count('POST /account/passkeys/remove')).toBe(0);
    await group('Windows Hello').getByRole('button', { name: 'Remove' }).click();
    await pages.press('Remove');
    await pages.page.getByText('The passkey has been removed').waitFor();
  });

  test('signs out one session, all of them, and itself', async () => {
    await signedIn({ 'POST /account/sessions/end': { body: { changed: 1 } }, 'POST /account/sign-out': { body: {} } });
    await group('Shop for phones').getByRole('button', { name: 'Sign out' }).click();
    await pages.page.getByText('you are signed out there').waitFor();
    expect(bodyOf('POST /account/sessions/end')).toEqual({ session: accountSecret, only: 't'.repeat(43) });
    await pages.press('Sign out everywhere');
    await pages.page.getByText('you are signed out there').waitFor();
    await pages.press('Leave this page');
    await pages.heading('You have left your account');
  });

  test('asks to sign in again when the session has ended', async () => {
    await signedIn({ 'POST /account/sessions/end': problem(401, 'account_session_ended') });
    await pages.press('Sign out everywhere');
    await pages.heading('Please sign in again');
    await pages.press('Sign in with a passkey');
    await pages.heading('Your account with Acme');
  });

  test.each([
    ['no_live_credential', 'Your account is not active'],
    ['other_organization', 'This passkey belongs to somewhere else'],
    ['counter_went_back', 'This passkey needs to be replaced'],
    ['unknown_passkey', 'This passkey is not known here'],
  ])('says why a passkey is refused: %s', async (refused, heading) => {
    await openAccount(pages, { 'POST /account/sign-in': { body: { refused } } });
    await pages.heading(heading);
  });

  test('says so when there is no such organization', async () => {
    service.routes = {
      'GET /organization': problem(404, 'not_found'),
      'POST /account/options': problem(404, 'not_found'),
    };
    await pages.page.goto(pages.base + account);
    await pages.heading('There is nothing at this address');
  });

  const accepted = () => ({ rpId: 'localhost', userId: 'dXNlcg', allAcceptedCredentialIds: [] });
});
