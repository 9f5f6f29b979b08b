import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { authenticator, launch, takeNoSuggestion } from './chromium.fixture.ts';
import { contrasts } from './contrast.fixture.ts';
import { creationOptions, FakeService, problem, requestOptions, type Reply } from './fake-service.fixture.ts';

const claim = (more: object = {}): Reply => ({
  body: { organization: { name: 'Acme' }, credentialType: { name: 'customer', display: 'Customer account' }, state: 'open', recovery: false, expiresAt: '2026-11-24T08:49:00.000Z', ...more },
});
const who: Reply = { body: { organization: { shortId: 'acme', name: 'Acme' }, app: { name: 'Shop' } } };
const options = (): Reply => ({ body: { options: creationOptions() } });
const challenge = (): Reply => ({ body: { options: requestOptions() } });
const token = 'T'.repeat(43);
const link = `/o/acme/claim#${token}`;
const signIn = '/o/acme/sign-in/u1';

const suite = process.env.HOLDFAST_NO_BROWSER === '1' ? describe.skip : describe;

suite('the pages in a browser', () => {
  let browser: Browser;
  let base: string;
  let context: BrowserContext;
  let page: Page;
  let faults: string[];
  const service = new FakeService();

  beforeAll(async () => {
    [browser, base] = await Promise.all([launch(), service.start()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service.stop();
  });
  const open = async (more: Parameters<Browser['newContext']>[0] = {}): Promise<void> => {
    await context?.close();
    context = await browser.newContext({ viewport: { width: 360, height: 740 }, ...more });
    page = await context.newPage();
    // A breach of the policy is an error on the console; so is a script that fails.
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(`${base}/`)) faults.push(`asked ${request.url()}`);
    });
  };
  beforeEach(async () => {
    faults = [];
    service.asked.length = 0;
    service.routes = {};
    await open();
  });
  afterEach(() => expect(faults).toEqual([]));

  const heading = (text: string) => page.getByRole('heading', { level: 1, name: text }).waitFor();
  const press = (name: string) => page.getByRole('button', { name }).click();
  const focused = () => page.evaluate(() => document.activeElement?.tagName);

  describe('claim', () => {
    test('opening changes nothing, the token leaves the address bar, and a reload survives', async () => {
      service.routes = { 'POST /claim': claim() };
      await page.goto(base + link);
      await heading('Create your passkey');
      expect([page.url(), await focused()]).toEqual([`${base}/o/acme/claim`, 'H1']);
      await page.reload();
      await heading('Create your passkey');
      expect(service.asked).toEqual([{ route: 'POST /claim', body: { token } }, { route: 'POST /claim', body: { token } }]);
      expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
    });

    test('a passkey is made by one press, and the way goes on', async () => {
      service.routes = { 'POST /claim': claim(), 'POST /claim/options': options, 'POST /claim/complete': { body: { returnUrl: `${base}/there` } } };
      const { cdp, id } = await authenticator(page);
      await page.goto(base + link);
      await press('Create my passkey');
      await heading('Your passkey is ready');
      const made = await cdp.send('WebAuthn.getCredentials', { authenticatorId: id });
      expect([made.credentials.length, made.credentials[0]?.isResidentCredential, await focused()]).toEqual([1, true, 'H1']);
      const complete = service.asked.find(({ route }) => route === 'POST /claim/complete')!;
      expect(complete.body).toMatchObject({ token, response: { type: 'public-key' } });
      await page.getByRole('link', { name: 'Continue' }).click();
      await page.waitForURL(`${base}/there`);
    });

    test('the same device twice', async () => {
      const { cdp, id } = await authenticator(page);
      service.routes = { 'POST /claim': claim(), 'POST /claim/options': options, 'POST /claim/complete': { body: {} } };
      await page.goto(base + link);
      await press('Create my passkey');
      await heading('Your passkey is ready');
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId: id });
      const known = Buffer.from(credentials[0]!.credentialId, 'base64').toString('base64url');
      service.routes['POST /claim/options'] = { body: { options: creationOptions([{ id: known, type: 'public-key', transports: ['internal'] }]) } };
      await page.reload();
      await press('Create my passkey');
      await heading('Your passkey is already on this device');
    });

    test('a customer who does not confirm may try again', async () => {
      service.routes = { 'POST /claim': claim(), 'POST /claim/options': { body: { options: { ...creationOptions(), timeout: 200 } } } };
      const { cdp, id } = await authenticator(page);
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: false });
      await page.goto(base + link);
      await press('Create my passkey');
      await heading('Nothing has happened yet');
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: true });
      service.routes = { 'POST /claim/options': options, 'POST /claim/complete': { body: {} } };
      await press('Try again');
      await heading('Your passkey is ready');
    });

    test.each([
      ['claimed', 'This link has been used'],
      ['expired', 'This link has run out'],
      ['withdrawn', 'This link is no longer valid'],
    ])('a link that is %s', async (state, text) => {
      service.routes = { 'POST /claim': claim({ state }) };
      await page.goto(base + link);
      await heading(text);
      expect(await page.getByRole('button').count()).toBe(0);
    });

    test('an unknown link, no link, and then a good one in the same tab', async () => {
      service.routes = { 'POST /claim': ({ token }) => (token === 'good' ? claim() : problem(404, 'unknown_claim')) };
      await page.goto(`${base}/o/acme/claim`);
      await heading('Open the link from your message');
      await page.goto(`${base}/o/acme/claim#bad`);
      await heading('This link leads nowhere');
      await page.goto(`${base}/o/acme/claim#good`);
      await heading('Create your passkey');
      expect(page.url()).toBe(`${base}/o/acme/claim`);
    });

    test('lost to another who was quicker', async () => {
      service.routes = { 'POST /claim': claim(), 'POST /claim/options': options, 'POST /claim/complete': problem(410, 'claim_spent') };
      await authenticator(page);
      await page.goto(base + link);
      await press('Create my passkey');
      await heading('This link has been used');
    });

    test('the server away, and back; too many tries', async () => {
      await page.goto(base + link);
      await heading('We cannot be reached right now');
      service.routes = { 'POST /claim': problem(429, 'rate_limited', { 'retry-after': '20' }) };
      await press('Try again');
      await page.getByText('Please wait 20 seconds, then try again.').waitFor();
      service.routes = { 'POST /claim': claim() };
      await press('Try again');
      await heading('Create your passkey');
    });

    test('a browser without WebAuthn, and an organization that writes HTML', async () => {
      service.routes = { 'POST /claim': claim({ organization: { name: '<img src=x onerror=alert(1)>' } }) };
      await page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'));
      await page.goto(base + link);
      await heading('This browser has no passkeys');
      expect([await page.locator('#page img').count(), await page.getByText('<img src=x').count()]).toEqual([0, 1]);
    });
  });

  describe('sign-in', () => {
    /** A passkey that the page's authenticator holds. */
    const withPasskey = async () => {
      const made = await authenticator(page);
      service.routes = { 'POST /claim': claim(), 'POST /claim/options': options, 'POST /claim/complete': { body: {} } };
      await page.goto(base + link);
      await press('Create my passkey');
      await heading('Your passkey is ready');
      return made;
    };
    const done = (): Reply => ({ body: { redirectTo: `${base}/there` } });

    test('by a suggestion, without a press (conditional UI)', async () => {
      await withPasskey();
      service.routes = { 'GET /sign-in/u1': who, 'POST /sign-in/u1/options': challenge, 'POST /sign-in/u1/complete': done };
      await page.goto(base + signIn);
      await page.waitForURL(`${base}/there`);
      expect(service.count('POST /sign-in/u1/options')).toBe(1);
    });

    test('by the button, which ends the suggestions; a wrong passkey leaves the page usable', async () => {
      await withPasskey();
      await page.addInitScript(takeNoSuggestion);
      let tries = 0;
      service.routes = {
        'GET /sign-in/u1': who,
        'POST /sign-in/u1/options': challenge,
        'POST /sign-in/u1/complete': () => ([{ body: { refused: 'other_organization' } }, { body: { refused: 'unknown_passkey' } }][tries++] ?? done()),
      };
      await page.goto(base + signIn);
      await heading('Sign in to Shop');
      await press('Sign in with a passkey');
      await heading('This passkey belongs to somewhere else');
      expect(await focused()).toBe('H1');
      await press('Choose another passkey');
      await heading('This passkey is not known here');
      await press('Choose another passkey');
      await page.waitForURL(`${base}/there`);
    });

    test('a request that runs out, and the way back to the app', async () => {
      service.routes = { 'GET /sign-in/u1': who, 'POST /sign-in/u1/options': () => ({ body: { options: requestOptions(300) } }), 'POST /sign-in/u1/cancel': done };
      const { cdp, id } = await authenticator(page);
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: false });
      await page.goto(base + signIn);
      await press('Sign in with a passkey');
      await heading('Nothing has happened yet');
      await press('Back to Shop');
      await page.waitForURL(`${base}/there`);
    });

    test('suggestions get a new challenge before the old one runs out', async () => {
      service.routes = { 'GET /sign-in/u1': who, 'POST /sign-in/u1/options': () => ({ body: { options: requestOptions(500) } }) };
      await authenticator(page);
      await page.goto(base + signIn);
      await heading('Sign in to Shop');
      await page.waitForTimeout(1500);
      expect(service.count('POST /sign-in/u1/options')).toBeGreaterThan(2);
      await heading('Sign in to Shop');
    });

    test('a sign-in that is over, from the beginning or in the middle', async () => {
      service.routes = { 'GET /sign-in/u1': problem(404, 'unknown_sign_in') };
      await page.goto(base + signIn);
      await heading('Please start again');
      service.routes = { 'GET /sign-in/u1': who, 'POST /sign-in/u1/options': problem(404, 'unknown_sign_in') };
      await page.reload();
      await page.getByText('Go back to Shop').waitFor();
    });

    test('no address but a real one is followed', async () => {
      await withPasskey();
      service.routes = { 'GET /sign-in/u1': who, 'POST /sign-in/u1/options': challenge, 'POST /sign-in/u1/complete': { body: { redirectTo: 'javascript:alert(1)' } } };
      await page.goto(base + signIn);
      await heading('We cannot be reached right now');
    });
  });

  describe('for everybody', () => {
    test.each([
      ['light', 1280],
      ['dark', 1280],
      ['light', 360],
      ['dark', 360],
      // 200 % zoom of a narrow window.
      ['light', 180],
    ] as const)('%s, %i wide: contrast, no sideways scrolling, room for a finger', async (colorScheme, width) => {
      await open({ colorScheme, viewport: { width, height: 800 } });
      const screens: [string, FakeService['routes'], string][] = [
        [link, { 'POST /claim': claim() }, 'Create your passkey'],
        [link, { 'POST /claim': claim({ state: 'claimed', returnUrl: 'https://shop.example/' }) }, 'This link has been used'],
        [signIn, { 'GET /sign-in/u1': who, 'POST /sign-in/u1/options': challenge }, 'Sign in to Shop'],
      ];
      for (const [address, routes, text] of screens) {
        service.routes = routes;
        await page.goto('about:blank');
        await page.goto(base + address);
        await heading(text);
        for (const summary of await page.locator('summary').all()) await summary.click();
        const measured = await contrasts(page);
        expect(measured.length).toBeGreaterThan(4);
        expect(measured.filter(({ ratio, needed }) => ratio < needed)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        for (const control of await page.locator('button, input, a').all()) expect((await control.boundingBox())!.height).toBeGreaterThanOrEqual(44);
      }
    });

    test('by keyboard alone, in the order of reading, with a focus that is seen', async () => {
      service.routes = { 'GET /sign-in/u1': who, 'POST /sign-in/u1/options': challenge };
      await page.goto(base + signIn);
      await heading('Sign in to Shop');
      const order: string[] = [];
      for (let i = 0; i < 4; i++) {
        await page.keyboard.press('Tab');
        order.push(await page.evaluate(() => {
          const at = document.activeElement as HTMLElement;
          const name = at instanceof HTMLInputElement ? at.labels?.[0]?.textContent : at.textContent;
          return `${name}: ${getComputedStyle(at).outlineWidth}`;
        }));
      }
      expect(order).toEqual(['Sign in with a passkey: 3px', 'Or pick a passkey here: 3px', 'Back to Shop: 3px', 'What is a passkey?: 3px']);
    });
  });
});
