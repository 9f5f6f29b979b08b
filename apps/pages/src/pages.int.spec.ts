import { describe, expect, test } from '@jest/globals';
import { authenticator, ignoreSuggestions } from './chromium.fixture.ts';
import {
  challenge,
  claim,
  hub,
  invitation,
  invitationLink,
  link,
  options,
  PagesInBrowser,
  signIn,
  signInView,
  staffView,
  token,
} from './pages-in-browser.fixture.ts';
import { creationOptions, problem, requestOptions, type Reply } from './service-stub.fixture.ts';

const suite = process.env.HOLDFAST_NO_BROWSER === '1' ? describe.skip : describe;

suite('the pages in a browser', () => {
  const pages = new PagesInBrowser();

  describe('claim', () => {
    test('opening a link changes nothing, removes the token from the address bar, and survives a reload', async () => {
      pages.service.routes = { 'POST /claim': claim(), 'POST /claim/options': options };
      await pages.page.goto(pages.base + link);
      await pages.heading('Create your passkey');
      expect([pages.page.url(), await pages.focused()]).toEqual([`${pages.base}/o/acme/claim`, 'H1']);
      await pages.page.reload();
      await pages.heading('Create your passkey');
      // Options are requested for the click. Neither request uses the link.
      const request = (route: string) => ({ route, body: { token } });
      const opened = [request('POST /claim'), request('POST /claim/options')];
      expect(pages.service.requests).toEqual([...opened, ...opened]);
      expect(await pages.page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
    });

    test('one click creates a passkey, and the page links to the return URL', async () => {
      pages.service.routes = {
        'POST /claim': claim(),
        'POST /claim/options': options,
        'POST /claim/complete': { body: { returnUrl: `${pages.base}/there` } },
      };
      const { cdp, id } = await authenticator(pages.page);
      await pages.page.goto(pages.base + link);
      await pages.press('Create my passkey');
      await pages.heading('Your passkey is ready');
      const made = await cdp.send('WebAuthn.getCredentials', { authenticatorId: id });
      expect([made.credentials.length, made.credentials[0]?.isResidentCredential, await pages.focused()]).toEqual([
        1,
        true,
        'H1',
      ]);
      const complete = pages.service.requests.find(({ route }) => route === 'POST /claim/complete')!;
      expect(complete.body).toMatchObject({ token, response: { type: 'public-key' } });
      await pages.page.getByRole('link', { name: 'Continue' }).click();
      await pages.page.waitForURL(`${pages.base}/there`);
    });

    test('a second claim on the same device says that the passkey exists', async () => {
      const { cdp, id } = await authenticator(pages.page);
      pages.service.routes = {
        'POST /claim': claim(),
        'POST /claim/options': options,
        'POST /claim/complete': { body: {} },
      };
      await pages.page.goto(pages.base + link);
      await pages.press('Create my passkey');
      await pages.heading('Your passkey is ready');
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId: id });
      const existing = Buffer.from(credentials[0]!.credentialId, 'base64').toString('base64url');
      pages.service.routes['POST /claim/options'] = {
        body: { options: creationOptions([{ id: existing, type: 'public-key', transports: ['internal'] }]) },
      };
      await pages.page.reload();
      await pages.press('Create my passkey');
      await pages.heading('Your passkey is already on this device');
    });

    test('a customer who does not confirm can try again', async () => {
      pages.service.routes = {
        'POST /claim': claim(),
        'POST /claim/options': { body: { options: { ...creationOptions(), timeout: 200 } } },
      };
      const { cdp, id } = await authenticator(pages.page);
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: false });
      await pages.page.goto(pages.base + link);
      await pages.press('Create my passkey');
      await pages.heading('Your device did not confirm');
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: true });
      pages.service.routes = { 'POST /claim/options': options, 'POST /claim/complete': { body: {} } };
      await pages.press('Try again');
      await pages.heading('Your passkey is ready');
    });

    test.each([
      ['claimed', 'This link has been used'],
      ['expired', 'This link has expired'],
      ['withdrawn', 'This link is no longer valid'],
    ])('a link that is %s is shown as such, without a button', async (state, text) => {
      pages.service.routes = { 'POST /claim': claim({ state }) };
      await pages.page.goto(pages.base + link);
      await pages.heading(text);
      expect(await pages.page.getByRole('button').count()).toBe(0);
    });

    test('a missing, an unknown and a valid link in the same tab each show their state', async () => {
      pages.service.routes = {
        'POST /claim': ({ token }) => (token === 'good' ? claim() : problem(404, 'unknown_claim')),
      };
      await pages.page.goto(`${pages.base}/o/acme/claim`);
      await pages.heading('Open the link from your message');
      await pages.page.goto(`${pages.base}/o/acme/claim#bad`);
      await pages.heading('This link is not valid');
      await pages.page.goto(`${pages.base}/o/acme/claim#good`);
      await pages.heading('Create your passkey');
      expect(pages.page.url()).toBe(`${pages.base}/o/acme/claim`);
    });

    test('a claim that somebody else completes first shows a used link', async () => {
      pages.service.routes = {
        'POST /claim': claim(),
        'POST /claim/options': options,
        'POST /claim/complete': problem(410, 'claim_spent'),
      };
      await authenticator(pages.page);
      await pages.page.goto(pages.base + link);
      await pages.press('Create my passkey');
      await pages.heading('This link has been used');
    });

    test('an unavailable server and a rate limit allow another attempt', async () => {
      await pages.page.goto(pages.base + link);
      await pages.heading('We cannot be reached right now');
      pages.service.routes = { 'POST /claim': problem(429, 'rate_limited', { 'retry-after': '20' }) };
      await pages.press('Try again');
      await pages.page.getByText('Please wait 20 seconds, then try again.').waitFor();
      pages.service.routes = { 'POST /claim': claim() };
      await pages.press('Try again');
      await pages.heading('Create your passkey');
    });

    test('a browser without WebAuthn says so, and HTML in a name is shown as text', async () => {
      pages.service.routes = { 'POST /claim': claim({ organization: { name: '<img src=x onerror=alert(1)>' } }) };
      await pages.page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'));
      await pages.page.goto(pages.base + link);
      await pages.heading('This browser has no passkeys');
      expect([await pages.page.locator('#page img').count(), await pages.page.getByText('<img src=x').count()]).toEqual(
        [0, 1],
      );
    });
  });

  describe('invitation', () => {
    test('opening a link changes nothing, and one click accepts it and leads to the hub', async () => {
      pages.service.routes = {
        'POST /invitation': invitation(),
        'POST /invitation/options': options,
        'POST /invitation/complete': { body: {} },
      };
      const { cdp, id } = await authenticator(pages.page);
      await pages.page.goto(pages.base + invitationLink);
      await pages.heading('Accept your invitation');
      expect(pages.page.url()).toBe(`${pages.base}/o/acme/invitation`);
      expect(pages.service.requests.every(({ body }) => body.token === token)).toBe(true);
      expect(pages.service.count('POST /invitation/complete')).toBe(0);
      await pages.press('Create my passkey');
      await pages.heading('You are on the team');
      expect((await cdp.send('WebAuthn.getCredentials', { authenticatorId: id })).credentials).toHaveLength(1);
      expect(await pages.page.getByRole('link', { name: 'Continue' }).getAttribute('href')).toBe(
        `${pages.base}/hub/acme`,
      );
    });

    test.each([
      ['accepted', 'This invitation has been accepted'],
      ['expired', 'This invitation has expired'],
      ['withdrawn', 'This invitation is no longer valid'],
    ])('a link that is %s is shown as such, without a button', async (state, text) => {
      pages.service.routes = { 'POST /invitation': invitation({ state }) };
      await pages.page.goto(pages.base + invitationLink);
      await pages.heading(text);
      expect(await pages.page.getByRole('button').count()).toBe(0);
    });

    test('an accepted invitation leads to the hub, and an expired or withdrawn one leads nowhere', async () => {
      const linksOf = async (state: string) => {
        pages.service.routes = { 'POST /invitation': invitation({ state }) };
        await pages.page.goto('about:blank');
        await pages.page.goto(pages.base + invitationLink);
        await pages.page.getByRole('heading', { name: /^This invitation/ }).waitFor();
        const links = await pages.page.getByRole('link').all();
        return Promise.all(links.map((one) => one.getAttribute('href')));
      };
      expect(await linksOf('accepted')).toEqual([pages.base + hub]);
      expect([await linksOf('expired'), await linksOf('withdrawn')]).toEqual([[], []]);
    });

    test('a recovery says that earlier passkeys stop working, and a lost race shows a used link', async () => {
      pages.service.routes = {
        'POST /invitation': invitation({ recovery: true }),
        'POST /invitation/options': options,
        'POST /invitation/complete': problem(410, 'invitation_accepted'),
      };
      await authenticator(pages.page);
      await pages.page.goto(pages.base + invitationLink);
      await pages.page.getByText('which stop working').waitFor();
      await pages.press('Create my passkey');
      await pages.heading('This invitation has been accepted');
    });
  });

  describe('sign-in', () => {
    /** Creates a passkey in the page's authenticator. */
    const withPasskey = async () => {
      const made = await authenticator(pages.page);
      pages.service.routes = {
        'POST /claim': claim(),
        'POST /claim/options': options,
        'POST /claim/complete': { body: {} },
      };
      await pages.page.goto(pages.base + link);
      await pages.press('Create my passkey');
      await pages.heading('Your passkey is ready');
      return made;
    };
    const done = (): Reply => ({ body: { redirectTo: `${pages.base}/there` } });

    test('a suggestion signs in without a click (conditional UI)', async () => {
      await withPasskey();
      pages.service.routes = {
        'GET /sign-in/u1': signInView,
        'POST /sign-in/u1/options': challenge,
        'POST /sign-in/u1/complete': done,
      };
      await pages.page.goto(pages.base + signIn);
      await pages.page.waitForURL(`${pages.base}/there`);
      expect(pages.service.count('POST /sign-in/u1/options')).toBe(1);
    });

    test('the button ends the suggestions, and the page stays usable after a wrong passkey', async () => {
      await withPasskey();
      await pages.page.addInitScript(ignoreSuggestions);
      let tries = 0;
      pages.service.routes = {
        'GET /sign-in/u1': signInView,
        'POST /sign-in/u1/options': challenge,
        'POST /sign-in/u1/complete': () =>
          [{ body: { refused: 'other_organization' } }, { body: { refused: 'unknown_passkey' } }][tries++] ?? done(),
      };
      await pages.page.goto(pages.base + signIn);
      await pages.heading('Sign in to Shop');
      await pages.press('Sign in with a passkey');
      await pages.heading('This passkey belongs to somewhere else');
      expect(await pages.focused()).toBe('H1');
      await pages.press('Choose another passkey');
      await pages.heading('This passkey is not known here');
      await pages.press('Choose another passkey');
      await pages.page.waitForURL(`${pages.base}/there`);
    });

    test('at an app of the staff, a rejection says why, and the page stays usable', async () => {
      await withPasskey();
      await pages.page.addInitScript(ignoreSuggestions);
      let tries = 0;
      pages.service.routes = {
        'GET /sign-in/u1': staffView,
        'POST /sign-in/u1/options': challenge,
        'POST /sign-in/u1/complete': () =>
          [{ body: { refused: 'deactivated' } }, { body: { refused: 'not_assigned' } }][tries++] ?? done(),
        'POST /sign-in/u1/cancel': done,
      };
      await pages.page.goto(pages.base + signIn);
      await pages.heading('Sign in to Staff area');
      await pages.page.getByText('For people who work at Acme').waitFor();
      await pages.press('Sign in with a passkey');
      await pages.heading('Your account is deactivated');
      await pages.press('Choose another passkey');
      await pages.heading('You do not have access to Staff area');
      await pages.press('Back to Staff area');
      await pages.page.waitForURL(`${pages.base}/there`);
      expect(pages.service.count('POST /sign-in/u1/cancel')).toBe(1);
    });

    test('after a timeout the customer can go back to the app', async () => {
      pages.service.routes = {
        'GET /sign-in/u1': signInView,
        'POST /sign-in/u1/options': () => ({ body: { options: requestOptions(300) } }),
        'POST /sign-in/u1/cancel': done,
      };
      const { cdp, id } = await authenticator(pages.page);
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: false });
      await pages.page.goto(pages.base + signIn);
      await pages.press('Sign in with a passkey');
      await pages.heading('Your device did not confirm');
      await pages.press('Back to Shop');
      await pages.page.waitForURL(`${pages.base}/there`);
    });

    test('suggestions get a new challenge before the old one expires', async () => {
      pages.service.routes = {
        'GET /sign-in/u1': signInView,
        'POST /sign-in/u1/options': () => ({ body: { options: requestOptions(500) } }),
      };
      await authenticator(pages.page);
      await pages.page.goto(pages.base + signIn);
      await pages.heading('Sign in to Shop');
      while (pages.service.count('POST /sign-in/u1/options') <= 2) await pages.page.waitForTimeout(50);
      await pages.heading('Sign in to Shop');
    });

    test('a sign-in that has ended is shown as expired, on load and during a ceremony', async () => {
      pages.service.routes = { 'GET /sign-in/u1': problem(404, 'unknown_sign_in') };
      await pages.page.goto(pages.base + signIn);
      await pages.heading('Please start again');
      pages.service.routes = {
        'GET /sign-in/u1': signInView,
        'POST /sign-in/u1/options': problem(404, 'unknown_sign_in'),
      };
      await pages.page.reload();
      await pages.page.getByText('Go back to Shop').waitFor();
    });

    test('an expired sign-in still shows the organization and links to the app', async () => {
      pages.service.routes = {
        'GET /sign-in/u1': {
          body: { organization: { shortId: 'acme', name: 'Acme' }, app: { name: 'Shop', uri: `${pages.base}/there` } },
        },
        'POST /sign-in/u1/options': challenge,
      };
      await authenticator(pages.page);
      await pages.page.goto(pages.base + signIn);
      await pages.heading('Sign in to Shop');
      pages.service.routes = { 'GET /sign-in/u1': problem(404, 'unknown_sign_in') };
      await pages.page.reload();
      await pages.heading('Please start again');
      await pages.page.getByText('Acme', { exact: true }).waitFor();
      await pages.page.getByRole('link', { name: 'Back to Shop' }).click();
      await pages.page.waitForURL(`${pages.base}/there`);
    });

    test('"Back" from the app leads to the page before the sign-in', async () => {
      await withPasskey();
      pages.service.routes = {
        'GET /sign-in/u1': signInView,
        'POST /sign-in/u1/options': challenge,
        'POST /sign-in/u1/complete': done,
      };
      await pages.page.goto(`${pages.base}/before`);
      await pages.page.goto(pages.base + signIn);
      await pages.page.waitForURL(`${pages.base}/there`);
      await pages.page.goBack();
      expect(pages.page.url()).toBe(`${pages.base}/before`);
    });

    test('the browser suggests passkeys without a visible field', async () => {
      await pages.page.addInitScript(ignoreSuggestions);
      pages.service.routes = { 'GET /sign-in/u1': signInView, 'POST /sign-in/u1/options': challenge };
      await pages.page.goto(pages.base + signIn);
      await pages.heading('Sign in to Shop');
      expect(await pages.page.getByRole('textbox').count()).toBe(0);
      expect(await pages.page.locator('input[autocomplete$="webauthn"]').count()).toBe(1);
    });

    test('an address that is not safe is not followed', async () => {
      await withPasskey();
      pages.service.routes = {
        'GET /sign-in/u1': signInView,
        'POST /sign-in/u1/options': challenge,
        'POST /sign-in/u1/complete': { body: { redirectTo: 'javascript:alert(1)' } },
      };
      await pages.page.goto(pages.base + signIn);
      await pages.heading('We cannot be reached right now');
    });
  });
});
