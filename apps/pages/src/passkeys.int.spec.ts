// What the pages do when a passkey is not where the server believes it to be, on slow networks and in other browsers.
import { describe, expect, test } from '@jest/globals';
import jsQr from 'jsqr';
import type { CDPSession } from 'playwright-core';
import { passkeyUserName } from '@holdfast/platform';
import { eventually } from '@holdfast/testing';
import { authenticator, ignoreSuggestions } from './chromium.fixture.ts';
import {
  challenge,
  claim,
  link,
  options,
  PagesInBrowser,
  signIn,
  signInView,
  token,
} from './pages-in-browser.fixture.ts';
import { creationOptions, problem, type Reply } from './service-stub.fixture.ts';

/** The text of a QR code that is drawn as squares of one unit. */
function decoded(viewBox: string, path: string): string | undefined {
  const pixelsPerModule = 4;
  const width = Number(viewBox.split(' ')[2]) * pixelsPerModule;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let i = 0; i < pixelsPerModule ** 2; i += 1) {
      const column = Number(x) * pixelsPerModule + (i % pixelsPerModule);
      const row = Number(y) * pixelsPerModule + Math.floor(i / pixelsPerModule);
      pixels.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3);
    }
  return jsQr(pixels, width, width)?.data;
}

const suite = process.env.HOLDFAST_NO_BROWSER === '1' ? describe.skip : describe;

suite('passkeys in a browser', () => {
  const pages = new PagesInBrowser();
  const passkeysOf = async (cdp: CDPSession, id: string) =>
    (await cdp.send('WebAuthn.getCredentials', { authenticatorId: id })).credentials.map(({ credentialId }) =>
      Buffer.from(credentialId, 'base64').toString('base64url'),
    );
  const untilPasskeys = async (cdp: CDPSession, id: string, count: number) => {
    while ((await passkeysOf(cdp, id)).length !== count) await pages.page.waitForTimeout(20);
  };
  const sent = () =>
    pages.service.requests
      .filter(({ route }) => route === 'POST /claim/complete')
      .map(({ body }) => (body.response as { id: string }).id);
  const claimRoutes = (complete: Reply | (() => Reply)) => ({
    'POST /claim': claim(),
    'POST /claim/options': options,
    'POST /claim/complete': complete,
  });

  test('a claim that the server did not get is sent again with the same passkey', async () => {
    let tries = 0;
    pages.service.routes = claimRoutes(() => (++tries < 3 ? { status: 503, body: {} } : { body: {} }));
    const { cdp, id } = await authenticator(pages.page);
    await pages.page.goto(pages.base + link);
    await pages.press('Create my passkey');
    for (let i = 0; i < 2; i += 1) {
      await pages.heading('We cannot be reached right now');
      await pages.press('Try again');
    }
    await pages.heading('Your passkey is ready');
    expect([new Set(sent()).size, sent().length, (await passkeysOf(cdp, id)).length]).toEqual([1, 3, 1]);
  });

  test('a passkey that the server has refused is hidden', async () => {
    pages.service.routes = claimRoutes(problem(410, 'claim_spent'));
    const { cdp, id } = await authenticator(pages.page);
    await pages.page.goto(pages.base + link);
    await pages.press('Create my passkey');
    await pages.heading('This link has been used');
    await untilPasskeys(cdp, id, 0);
  });

  test('after a recovery the browser hides the earlier passkey', async () => {
    const earlier = creationOptions();
    let recovery = false;
    pages.service.routes = {
      'POST /claim': () => claim({ recovery }),
      'POST /claim/options': () => ({ body: { options: recovery ? creationOptions() : earlier } }),
      'POST /claim/complete': () => ({
        body: recovery
          ? { acceptedPasskeys: { rpId: 'localhost', userId: earlier.user.id, allAcceptedCredentialIds: [] } }
          : {},
      }),
    };
    const { cdp, id } = await authenticator(pages.page);
    await pages.page.goto(pages.base + link);
    await pages.press('Create my passkey');
    await pages.heading('Your passkey is ready');
    recovery = true;
    await pages.page.goto(`${pages.base}/o/acme/claim#${'R'.repeat(43)}`);
    await pages.press('Create my passkey');
    await pages.heading('Your passkey is ready');
    await untilPasskeys(cdp, id, 1);
    expect(await passkeysOf(cdp, id)).toEqual([sent().at(-1)]);
  });

  test('a passkey that the organization has removed is hidden at its next use, and no other one', async () => {
    pages.service.routes = claimRoutes({ body: {} });
    const { cdp, id } = await authenticator(pages.page);
    await pages.page.goto(pages.base + link);
    await pages.press('Create my passkey');
    await pages.heading('Your passkey is ready');
    await pages.page.addInitScript(ignoreSuggestions);
    let removed = false;
    pages.service.routes = {
      'GET /sign-in/u1': signInView,
      'POST /sign-in/u1/options': challenge,
      'POST /sign-in/u1/complete': () => ({ body: { refused: 'unknown_passkey', ...(removed && { removed }) } }),
    };
    await pages.page.goto(pages.base + signIn);
    await pages.press('Sign in with a passkey');
    await pages.heading('This passkey is not known here');
    expect(await passkeysOf(cdp, id)).toHaveLength(1);
    removed = true;
    await pages.press('Choose another passkey');
    await untilPasskeys(cdp, id, 0);
  });

  test('after a sign-in the picker shows the current name of the organization, and the same code', async () => {
    const made = creationOptions();
    pages.service.routes = { ...claimRoutes({ body: {} }), 'POST /claim/options': { body: { options: made } } };
    const { cdp, id } = await authenticator(pages.page);
    const names = async () =>
      (await cdp.send('WebAuthn.getCredentials', { authenticatorId: id })).credentials.map(({ userName }) => userName);
    await pages.page.goto(pages.base + link);
    await pages.press('Create my passkey');
    await pages.heading('Your passkey is ready');
    expect(await names()).toEqual(['Acme customer · 7F3K']);
    await pages.page.addInitScript(ignoreSuggestions);
    pages.service.routes = {
      'GET /sign-in/u1': { body: { organization: { shortId: 'acme', name: 'Acme Blue' }, app: { name: 'Shop' } } },
      'POST /sign-in/u1/options': challenge,
      'POST /sign-in/u1/complete': { body: { redirectTo: `${pages.base}/there` } },
    };
    await pages.page.goto(pages.base + signIn);
    await pages.press('Sign in with a passkey');
    await pages.page.waitForURL(`${pages.base}/there`);
    await eventually(async () =>
      expect(await names()).toEqual([passkeyUserName('Acme Blue', Buffer.from(made.user.id, 'base64url'))]),
    );
  });

  test('a reload after a claim says that all is well, and another tab that the link has been used', async () => {
    pages.service.routes = claimRoutes({ body: { returnUrl: `${pages.base}/there` } });
    await authenticator(pages.page);
    await pages.page.goto(pages.base + link);
    await pages.press('Create my passkey');
    await pages.heading('Your passkey is ready');
    pages.service.routes = { 'POST /claim': claim({ state: 'claimed', returnUrl: `${pages.base}/there` }) };
    await pages.page.reload();
    await pages.heading('Your passkey is ready');
    expect(await pages.page.getByRole('link', { name: 'Continue' }).getAttribute('href')).toBe(`${pages.base}/there`);
    const other = await pages.page.context().newPage();
    await other.goto(pages.base + link);
    await other.getByRole('heading', { name: 'This link has been used' }).waitFor();
  });

  test('the type of the account is shown only where there are several', async () => {
    const type = { name: 'customer', display: 'Customer account' };
    for (const only of [false, true]) {
      pages.service.routes = {
        ...claimRoutes({ body: {} }),
        'POST /claim': claim({ credentialType: { ...type, ...(only && { only }) } }),
      };
      await pages.page.goto('about:blank');
      await pages.page.goto(pages.base + link);
      await pages.heading('Create your passkey');
      expect([only, await pages.page.getByText('Customer account').count()]).toEqual([only, only ? 0 : 1]);
    }
  });

  test('on a slow network the dialogue opens with the click', async () => {
    pages.service.routes = claimRoutes({ body: {} });
    await authenticator(pages.page);
    await pages.page.route('**/claim/options', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 400));
      await route.continue();
    });
    // Between the click and the dialogue there may be no request: its duration would use up the user activation.
    await pages.page.addInitScript(() => {
      const create = navigator.credentials.create.bind(navigator.credentials);
      addEventListener('click', () => performance.mark('click'), { capture: true });
      navigator.credentials.create = (given) => {
        performance.mark('dialogue');
        return create(given);
      };
    });
    const loaded = pages.page.waitForResponse('**/claim/options');
    await pages.page.goto(pages.base + link);
    await loaded;
    await pages.press('Create my passkey');
    await pages.heading('Your passkey is ready');
    const between = await pages.page.evaluate(() => {
      const [click, dialogue] = ['click', 'dialogue'].map((name) => performance.getEntriesByName(name)[0]!.startTime);
      return performance
        .getEntriesByType('resource')
        .filter(({ startTime }) => startTime >= click! && startTime <= dialogue!)
        .map(({ name }) => name);
    });
    expect(between).toEqual([]);
    expect(pages.service.count('POST /claim/options')).toBe(1);
  });

  test('a click before the options are there can be cancelled, and the next one goes on', async () => {
    pages.service.routes = claimRoutes({ body: {} });
    await authenticator(pages.page);
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await pages.page.route('**/claim/options', async (route) => {
      await held;
      await route.continue();
    });
    await pages.page.goto(pages.base + link);
    await pages.press('Create my passkey');
    await pages.heading('Asking your device …');
    await pages.press('Cancel');
    await pages.heading('Create your passkey');
    await pages.press('Create my passkey');
    release();
    await pages.heading('Your passkey is ready');
    expect(sent()).toHaveLength(1);
  });

  test('a browser without passkeys gets the link back, to copy and as a QR code', async () => {
    pages.service.routes = { 'POST /claim': claim() };
    await pages.open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await pages.page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'));
    await pages.page.goto(pages.base + link);
    await pages.heading('This browser has no passkeys');
    expect(pages.page.url()).toBe(pages.base + link);
    await pages.press('Copy link');
    await pages.page.getByText('Copied.').waitFor();
    expect(await pages.page.evaluate(() => navigator.clipboard.readText())).toBe(pages.base + link);
    expect(await pages.page.getByRole('textbox').inputValue()).toBe(pages.base + link);
    const code = pages.page.getByRole('img', { name: 'Scan this code' });
    await code.waitFor();
    expect(decoded((await code.getAttribute('viewBox'))!, (await code.locator('path').getAttribute('d'))!)).toBe(
      pages.base + link,
    );
    expect(pages.service.count('POST /claim/options')).toBe(0);
  });

  test('an old sign-in address and a damaged link name the organization and lead on', async () => {
    pages.service.routes = {
      'GET /sign-in/u1': problem(404, 'unknown_sign_in'),
      'POST /claim': problem(404, 'unknown_claim'),
      'GET /organization': {
        body: { name: 'Acme', startUrl: `${pages.base}/there`, helpUrl: 'https://acme.example/help' },
      },
    };
    for (const [address, heading] of [
      [signIn, 'Please start again'],
      [link, 'This link is not valid'],
      ['/o/acme/claim', 'This link is not valid'],
    ] as const) {
      await pages.page.goto(pages.base + address);
      await pages.heading(heading);
      const help = pages.page.getByRole('link', { name: 'Get help from Acme' });
      expect(await help.getAttribute('href')).toBe('https://acme.example/help');
      await pages.page.getByRole('link', { name: 'Continue to Acme' }).click();
      await pages.page.waitForURL(`${pages.base}/there`);
    }
  });

  test('inside another app a refusal leads to the browser, and another attempt is possible', async () => {
    await pages.open({
      userAgent:
        'Mozilla/5.0 (Linux; Android 16; Pixel 9; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 ' +
        'Chrome/142.0.0.0 Mobile Safari/537.36',
    });
    pages.service.routes = {
      ...claimRoutes({ body: {} }),
      'POST /claim/options': () => ({ body: { options: { ...creationOptions(), timeout: 300 } } }),
    };
    const { cdp, id } = await authenticator(pages.page);
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: false });
    await pages.page.goto(pages.base + link);
    await pages.press('Create my passkey');
    await pages.heading('Open this link in your browser');
    expect(pages.page.url()).toBe(pages.base + link);
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: true });
    pages.service.routes = claimRoutes({ body: {} });
    await pages.press('Try again');
    await pages.heading('Your passkey is ready');
    expect(pages.page.url()).not.toContain(token);
  });
});
