import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { settingsOf, type Settings } from '../config.ts';
import { HoldfastApiError, HoldfastUnavailable } from '../holdfast/errors.ts';
import type { SignedInCustomer } from '../holdfast/sign-in.ts';
import { openShop, type Shop } from '../shop.ts';
import { createApp } from './app.ts';

const origin = 'http://localhost:4000';
const baseUrl = 'http://localhost:8080';
const settings = settingsOf(
  {
    baseUrl,
    organizations: ['acme', 'globex'].map((shortId) => ({
      shortId,
      issuer: `${baseUrl}/o/${shortId}`,
      apps: [{ name: 'shop', clientId: `app_${shortId}`, clientSecret: 's' }],
    })),
  },
  { shop: 4000 },
) as [Settings, Settings];
const ada: SignedInCustomer = {
  issuer: settings[0].issuer,
  subject: 'ada',
  credential: { id: 'c' },
  sid: 'sid-1',
  idToken: 't',
};

let folder = '';
let acme: Shop;
let app: FastifyInstance;
let browser: Browser;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shop-'));
  const shops = settings.map((ofApp) => openShop(ofApp, folder));
  acme = shops[0]!;
  app = await createApp({ origin, shops, sessionSecret: 'x'.repeat(32), logger: false });
  browser = new Browser();
});
afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

/** Keeps the session cookie, as a browser does. */
class Browser {
  cookie = '';

  async send(options: InjectOptions) {
    const response = await app.inject({
      ...options,
      headers: { host: 'localhost:4000', cookie: this.cookie, ...options.headers },
    });
    const [set] = response.cookies;
    if (set) this.cookie = set.value === '' ? '' : `${set.name}=${set.value}`;
    return response;
  }

  get(url: string) {
    return this.send({ method: 'GET', url });
  }

  post(url: string, fields: Record<string, string>) {
    return this.send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields).toString(),
    });
  }

  async csrfToken(url: string): Promise<string> {
    return fieldIn((await this.get(url)).body, '_csrf');
  }

  /** Signs in through the routes of the shop; the issuer's responses are mocked. */
  async signIn(customer: SignedInCustomer): Promise<void> {
    const pending = { state: 'state-1', codeVerifier: 'v', nonce: 'n' };
    jest.spyOn(acme.signIn, 'begin').mockResolvedValueOnce({ url: new URL(`${baseUrl}/auth`), pending });
    jest.spyOn(acme.signIn, 'finish').mockResolvedValueOnce({ customer });
    await this.get('/acme/sign-in');
    expect((await this.get('/acme/callback?code=c&state=state-1')).headers.location).toBe('/acme/account');
  }
}

const fieldIn = (page: string, name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)![1]!;
const signUp = (token: string, more: Record<string, string> = {}) =>
  browser.post('/acme/sign-up', { _csrf: token, formId: 'f', name: 'Ada', email: 'ada@example.com', ...more });

describe('every response', () => {
  test('redirects a request for another host to the address of the shop', async () => {
    for (const host of ['127.0.0.1:4000', 'attacker.example']) {
      const response = await browser.send({ url: '/acme?x=1', headers: { host } });
      expect([response.statusCode, response.headers.location]).toEqual([307, `${origin}/acme?x=1`]);
    }
  });

  test('has security headers, which allow the presence widget on pages that have it', async () => {
    const start = await browser.get('/acme');
    expect(start.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy':
        `default-src 'none';style-src 'self';img-src 'self';form-action 'self' ${baseUrl};` +
        "base-uri 'none';frame-ancestors 'none'",
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    const { headers } = await browser.get('/acme/sign-up');
    expect(headers['content-security-policy']).toContain(
      `script-src ${baseUrl};connect-src ${baseUrl};worker-src blob:`,
    );
  });

  test('is 404 for a page that does not exist, in and outside a shop', async () => {
    for (const url of ['/acme/nothing', '/acme/staff/a/b', '/nothing'])
      expect((await browser.get(url)).statusCode).toBe(404);
    expect((await browser.post('/acme/nothing', {})).statusCode).toBe(404);
    for (const url of ['/', '/healthz', '/style.css', '/icon.svg', '/acme', '/acme/', '/globex'])
      expect((await browser.get(url)).statusCode).toBe(200);
  });
});

describe('the session cookie', () => {
  test('is set when there is something to store, and hidden from scripts, other sites and other shops', async () => {
    expect((await browser.get('/acme')).headers['set-cookie']).toBeUndefined();
    expect((await browser.get('/acme/sign-up')).headers['set-cookie']).toMatch(
      /^shop-session=[^;]+; Path=\/acme; HttpOnly; SameSite=Lax$/,
    );
  });

  test('is rejected when its signature does not match', async () => {
    await browser.signIn(ada);
    browser.cookie = browser.cookie.replace(/\.[^.]+$/, '.forged');
    expect((await browser.get('/acme/account')).headers.location).toBe('/acme/sign-in');
  });

  test('changes at sign-in, and the earlier one is not signed in', async () => {
    await browser.get('/acme/sign-up');
    const earlier = browser.cookie;
    await browser.signIn(ada);
    expect(browser.cookie).not.toBe(earlier);
    expect((await browser.get('/acme/account')).statusCode).toBe(200);
    browser.cookie = earlier;
    expect((await browser.get('/acme/account')).headers.location).toBe('/acme/sign-in');
  });

  test('is cleared at sign-out, and its session does not exist any more', async () => {
    await browser.signIn(ada);
    const before = browser.cookie;
    jest.spyOn(acme.signIn, 'signOutUrl').mockResolvedValueOnce(new URL(`${baseUrl}/end`));
    const response = await browser.post('/acme/sign-out', { _csrf: await browser.csrfToken('/acme') });
    expect([response.statusCode, response.headers.location, browser.cookie]).toEqual([303, `${baseUrl}/end`, '']);
    browser.cookie = before;
    expect((await browser.get('/acme/account')).headers.location).toBe('/acme/sign-in');
  });
});

describe('a form', () => {
  test('without a CSRF token, or with one of another session, is rejected and changes nothing', async () => {
    const offer = jest.spyOn(acme.credentials, 'offer');
    const other = await new Browser().csrfToken('/acme/sign-up');
    const own = await browser.csrfToken('/acme/sign-up');
    for (const token of ['', 'x', other]) expect((await signUp(token)).statusCode).toBe(403);
    browser.cookie = '';
    expect((await signUp(own)).statusCode).toBe(403);
    expect(offer).not.toHaveBeenCalled();
  });

  test('with more than 10,000 bytes is rejected with 413', async () => {
    const token = await browser.csrfToken('/acme/sign-up');
    expect((await signUp(token, { name: 'x'.repeat(10_000) })).statusCode).toBe(413);
  });

  test('that is not valid is shown again with the submitted values, escaped', async () => {
    const name = `<img src=x onerror="alert(1)">&'\``;
    const page = await signUp(await browser.csrfToken('/acme/sign-up'), { name, email: 'x' });
    expect(page.statusCode).toBe(422);
    expect(page.body).toContain(
      'name="name" value="&lt;img src&#x3D;x onerror&#x3D;&quot;alert(1)&quot;&gt;&amp;&#x27;&#x60;"',
    );
  });

  test('that is sent twice has one Idempotency-Key and one presence proof, and shows the claim link', async () => {
    const offer = jest.spyOn(acme.credentials, 'offer').mockResolvedValue({
      subject: 's',
      claimUrl: `${baseUrl}/o/acme/claim#token`,
      offerId: 'o',
      credentialId: 'c',
      expiresAt: '2026-11-24T10:00:00.000Z',
    });
    const token = await browser.csrfToken('/acme/sign-up');
    for (const altcha of ['proof-1', 'proof-2'])
      expect((await signUp(token, { altcha })).headers.location).toBe('/acme/sign-up/sent');
    const [first, second] = offer.mock.calls;
    expect(first).toEqual([expect.any(String), `${origin}/acme/welcome`, 'proof-1']);
    expect(second).toEqual(first);
    const { body } = await browser.get('/acme/sign-up/sent');
    expect(body).toContain(`href="${baseUrl}/o/acme/claim#token"`);
    expect(body).toContain('24 Nov 2026, 10:00 UTC');
  });
});

describe('an error of Holdfast', () => {
  test.each([
    ['is unavailable', new HoldfastUnavailable('status 503'), 503, 'Nothing is lost'],
    ['rejects the request', new HoldfastApiError(403, 'insufficient_scope', 'd'), 502, '403 insufficient_scope: d'],
    [
      'rejects the presence proof',
      new HoldfastApiError(422, 'presence_required', 'd'),
      422,
      'Please switch JavaScript on',
    ],
  ])('that %s is shown as text', async (_, error, status, text) => {
    jest.spyOn(acme.credentials, 'offer').mockRejectedValueOnce(error);
    const response = await signUp(await browser.csrfToken('/acme/sign-up'));
    expect([response.statusCode, response.body.includes(text)]).toEqual([status, true]);
  });
});

describe('the redirect URI', () => {
  test('answers 400 when this browser began no sign-in with that state', async () => {
    const finish = jest.spyOn(acme.signIn, 'finish');
    for (const query of ['', '?code=c&state=stolen'])
      expect((await browser.get(`/acme/callback${query}`)).statusCode).toBe(400);
    expect(finish).not.toHaveBeenCalled();
  });

  test('redirects a customer without an account to a page where they can open one', async () => {
    await browser.signIn(ada);
    expect((await browser.get('/acme/account')).body).toContain('No account here yet');
    const response = await signUp(await browser.csrfToken('/acme/sign-up'));
    expect(response.headers.location).toBe('/acme/account');
    const { body } = await browser.get('/acme/account');
    expect(body).toContain('Welcome, Ada!');
    expect(body).toContain('<code data-claim="sub">ada</code>');
    // The notice is shown once.
    expect((await browser.get('/acme/account')).body).not.toContain('Welcome, Ada!');
  });
});

describe('back-channel logout', () => {
  const send = (logoutToken?: string) =>
    browser.post('/acme/backchannel-logout', logoutToken === undefined ? {} : { logout_token: logoutToken });

  test('ends the session with that sid', async () => {
    await browser.signIn(ada);
    jest.spyOn(acme.backChannelLogout, 'verify').mockResolvedValueOnce({ issuer: ada.issuer, sid: 'sid-1' });
    const response = await send('token');
    expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store']);
    expect((await browser.get('/acme/account')).headers.location).toBe('/acme/sign-in');
  });

  test('answers 400 when the token is missing or not valid, and 503 when keys are unavailable', async () => {
    expect((await send()).statusCode).toBe(400);
    jest.spyOn(acme.backChannelLogout, 'verify').mockResolvedValueOnce(undefined);
    expect((await send('token')).json()).toMatchObject({ error: 'invalid_request' });
    jest.spyOn(acme.backChannelLogout, 'verify').mockRejectedValueOnce(new HoldfastUnavailable('keys'));
    expect((await send('token')).statusCode).toBe(503);
  });
});

describe('staff', () => {
  beforeEach(async () => {
    const account = { issuer: ada.issuer, subject: 'ada', name: 'Ada', email: 'ada@example.com', createdAt: now };
    await acme.accounts.put(account);
    jest.spyOn(acme.credentials, 'customer').mockResolvedValue({
      subject: 'ada',
      claimed: true,
      credentials: [{ id: 'c', credentialType: 'customer', status: 'issued', revocable: true, createdAt: now }],
    });
  });
  const now = '2026-11-21T10:00:00.000Z';

  test('see the list of customers with their accounts', async () => {
    const item = { subject: 'ada', claimed: true, credentials: 1, live: 1, openOffers: 0, createdAt: now };
    jest.spyOn(acme.credentials, 'list').mockResolvedValueOnce({ items: [item], hasMore: true, nextPageToken: 'n' });
    const { body } = await browser.get('/acme/staff?claimed=true');
    for (const text of [
      '<a href="/acme/staff/ada">Ada</a>',
      'Works',
      'claimed&#x3D;true&amp;page&#x3D;n',
      'aria-current',
    ])
      expect(body).toContain(text);
  });

  test('suspend a credential with a reason, and see the result on the customer’s page', async () => {
    const change = jest.spyOn(acme.credentials, 'change').mockResolvedValueOnce({} as never);
    const { body } = await browser.get('/acme/staff/ada');
    expect(body.match(/credentials\/c\/[a-z]+"/g)).toEqual(['credentials/c/suspend"', 'credentials/c/revoke"']);
    const fields = { _csrf: fieldIn(body, '_csrf'), reason: 'misuse' };
    const response = await browser.post('/acme/staff/ada/credentials/c/suspend', fields);
    expect([response.statusCode, response.headers.location]).toEqual([303, '/acme/staff/ada']);
    expect(change).toHaveBeenCalledWith('c', 'suspend', 'misuse');
    expect((await browser.get('/acme/staff/ada')).body).toContain('The credential is suspended');
  });

  test('erase a customer, whose account and sessions end, also when it is their own session', async () => {
    jest.spyOn(acme.credentials, 'erase').mockResolvedValueOnce();
    const customer = new Browser();
    await customer.signIn(ada);
    await browser.signIn(ada);
    await browser.post('/acme/staff/ada/erase', { _csrf: await browser.csrfToken('/acme/staff/ada') });
    expect(acme.accounts.all()).toEqual([]);
    for (const erased of [customer, browser])
      expect((await erased.get('/acme/account')).headers.location).toBe('/acme/sign-in');
  });
});
