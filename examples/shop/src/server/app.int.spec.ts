import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { settingsOf, type Settings } from '../config.ts';
import { HoldfastApiError, HoldfastUnavailable } from '../holdfast/errors.ts';
import type { SignedIn, SignIn } from '../holdfast/sign-in.ts';
import { openShop, type Area, type Shop } from '../shop.ts';
import { createApp } from './app.ts';

const origin = 'http://localhost:4000';
const baseUrl = 'http://localhost:8080';
const staffApp = {
  name: 'staff',
  clientId: 'app_staff',
  clientSecret: 's',
  redirectUris: [`${origin}/acme/staff/callback`],
};
const settings = settingsOf(
  {
    baseUrl,
    organizations: ['acme', 'globex'].map((shortId) => ({
      shortId,
      issuer: `${baseUrl}/o/${shortId}`,
      apps: [
        { name: 'shop', clientId: `app_${shortId}`, clientSecret: 's' },
        // globex has no app for its people.
        ...(shortId === 'acme' ? [staffApp] : []),
      ],
    })),
  },
  { shop: 4000 },
) as [Settings, Settings];
const { issuer } = settings[0];
const ada: SignedIn = {
  issuer,
  subject: 'ada',
  claims: { iss: issuer, sub: 'ada', credential: { id: 'c' } },
  sid: 'sid-1',
  idToken: 't',
};
const eve: SignedIn = {
  issuer,
  subject: 'eve',
  claims: { iss: issuer, sub: 'eve', name: 'Eve Lee', email: 'eve@acme.example', groups: ['Management', 'Staff'] },
  sid: 'sid-2',
  idToken: 'u',
};

let folder = '';
let acme: Shop & { staff: Area };
let app: FastifyInstance;
let browser: Browser;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shop-'));
  const shops = settings.map((ofApp) => openShop(ofApp, folder));
  acme = shops[0] as typeof acme;
  app = await createApp({ origin, shops, sessionSecret: 'x'.repeat(32), logger: false });
  browser = new Browser();
});
afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

/** Keeps the session cookies, as a browser does. */
class Browser {
  readonly #cookies = new Map<string, string>();

  get cookie(): string {
    return [...this.#cookies.values()].filter(Boolean).join('; ');
  }

  set cookie(header: string) {
    this.#cookies.clear();
    if (header) this.#cookies.set(header.split('=')[0]!, header);
  }

  async send(options: InjectOptions) {
    const response = await app.inject({
      ...options,
      headers: { host: 'localhost:4000', cookie: this.cookie, ...options.headers },
    });
    for (const { name, value } of response.cookies) this.#cookies.set(name, value && `${name}=${value}`);
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
  async signIn(signedIn: SignedIn): Promise<void> {
    const response = await this.finishSignIn(acme.customers, { signedIn });
    expect(response.headers.location).toBe('/acme/account');
  }

  async signInAsStaff(): Promise<void> {
    const response = await this.finishSignIn(acme.staff, { signedIn: eve });
    expect(response.headers.location).toBe('/acme/staff');
  }

  async finishSignIn({ signIn, path }: Area, result: Awaited<ReturnType<SignIn['finish']>>) {
    const pending = { state: 'state-1', codeVerifier: 'v', nonce: 'n' };
    jest.spyOn(signIn, 'begin').mockResolvedValueOnce({ url: new URL(`${baseUrl}/auth`), pending });
    jest.spyOn(signIn, 'finish').mockResolvedValueOnce(result);
    await this.get(`${path}/sign-in`);
    return this.get(`${path}/callback?code=c&state=state-1`);
  }

  /** Whether the start page and the account page are those of somebody who is signed in. */
  async isSignedIn(): Promise<{ customer: boolean; staff: boolean }> {
    const staffPage = await this.get('/acme/staff');
    return {
      customer: (await this.get('/acme/account')).statusCode === 200,
      staff: staffPage.body.includes('Hello, Eve Lee'),
    };
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
    for (const url of ['/acme/nothing', '/acme/staff/a/b', '/globex/staff/a', '/nothing'])
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
    jest.spyOn(acme.customers.signIn, 'signOutUrl').mockResolvedValueOnce(new URL(`${baseUrl}/end`));
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
    const finish = jest.spyOn(acme.customers.signIn, 'finish');
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
    jest.spyOn(acme.customers.backChannelLogout, 'verify').mockResolvedValueOnce({ issuer: ada.issuer, sid: 'sid-1' });
    const response = await send('token');
    expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store']);
    expect((await browser.get('/acme/account')).headers.location).toBe('/acme/sign-in');
  });

  test('answers 400 when the token is missing or not valid, and 503 when keys are unavailable', async () => {
    expect((await send()).statusCode).toBe(400);
    jest.spyOn(acme.customers.backChannelLogout, 'verify').mockResolvedValueOnce(undefined);
    expect((await send('token')).json()).toMatchObject({ error: 'invalid_request' });
    jest.spyOn(acme.customers.backChannelLogout, 'verify').mockRejectedValueOnce(new HoldfastUnavailable('keys'));
    expect((await send('token')).statusCode).toBe(503);
  });
});

describe('the staff area', () => {
  test('is closed to visitors and to customers who are signed in', async () => {
    const { credentials } = acme;
    const list = jest.spyOn(credentials, 'list');
    const erase = jest.spyOn(credentials, 'erase');
    await browser.signIn(ada);
    const token = await browser.csrfToken('/acme/account');
    for (const visitor of [browser, new Browser()]) {
      expect((await visitor.get('/acme/staff')).body).toContain('Sign in as staff');
      for (const page of ['/acme/staff/customers', '/acme/staff/customers/ada']) {
        const { statusCode, headers, body } = await visitor.get(page);
        expect([statusCode, headers.location, body]).toEqual([303, '/acme/staff', '']);
      }
      const action = await visitor.post('/acme/staff/customers/ada/erase', { _csrf: token });
      expect([action.statusCode, action.headers.location]).toEqual([303, '/acme/staff']);
    }
    expect(list).not.toHaveBeenCalled();
    expect(erase).not.toHaveBeenCalled();
  });

  test('shows name, e-mail and groups of the ID token to staff', async () => {
    await browser.signInAsStaff();
    const { body } = await browser.get('/acme/staff');
    for (const text of [
      'Hello, Eve Lee',
      '<code data-claim="email">eve@acme.example</code>',
      '<code data-claim="groups">Management, Staff</code>',
    ])
      expect(body).toContain(text);
  });

  test('has a session of its own, unaffected by sign-in and sign-out of the customer, and the reverse', async () => {
    for (const area of [acme.customers, acme.staff])
      jest.spyOn(area.signIn, 'signOutUrl').mockResolvedValue(new URL(`${baseUrl}/end`));
    await browser.signInAsStaff();
    expect(await browser.isSignedIn()).toEqual({ customer: false, staff: true });
    await browser.signIn(ada);
    expect(await browser.isSignedIn()).toEqual({ customer: true, staff: true });
    await browser.post('/acme/staff/sign-out', { _csrf: await browser.csrfToken('/acme/staff') });
    expect(await browser.isSignedIn()).toEqual({ customer: true, staff: false });
    await browser.signInAsStaff();
    await browser.post('/acme/sign-out', { _csrf: await browser.csrfToken('/acme') });
    expect(await browser.isSignedIn()).toEqual({ customer: false, staff: true });
  });

  test('does not accept the session id of a customer, nor the shop that of staff', async () => {
    await browser.signIn(ada);
    const staff = new Browser();
    await staff.signInAsStaff();
    const [customerCookie, staffCookie] = [browser.cookie, staff.cookie];
    browser.cookie = customerCookie.replace('shop-session', 'shop-staff-session');
    staff.cookie = staffCookie.replace('shop-staff-session', 'shop-session');
    for (const visitor of [browser, staff])
      expect(await visitor.isSignedIn()).toEqual({ customer: false, staff: false });
  });

  test('sends its cookie to its own pages only, and replaces it at sign-in', async () => {
    jest
      .spyOn(acme.staff.signIn, 'begin')
      .mockResolvedValueOnce({ url: new URL(baseUrl), pending: { state: 's', codeVerifier: 'v', nonce: 'n' } });
    const { headers } = await browser.get('/acme/staff/sign-in');
    expect(headers['set-cookie']).toMatch(/^shop-staff-session=[^;]+; Path=\/acme\/staff; HttpOnly; SameSite=Lax$/);
    const earlier = browser.cookie;
    await browser.signInAsStaff();
    browser.cookie = earlier;
    expect((await browser.isSignedIn()).staff).toBe(false);
  });

  test('says why somebody was refused, and how they get in', async () => {
    const refusal = { error: 'denied' as const, reason: 'access_denied', description: 'the person is not assigned' };
    const response = await browser.finishSignIn(acme.staff, refusal);
    expect(response.statusCode).toBe(403);
    for (const text of [
      'You are not assigned to the staff area',
      'Ask an owner',
      'href="/acme/staff/sign-in?choose=1"',
    ])
      expect(response.body).toContain(text);
    expect((await browser.isSignedIn()).staff).toBe(false);
    const { statusCode, body } = await browser.finishSignIn(acme.staff, { error: 'denied', reason: 'login_required' });
    expect([statusCode, body.includes('You turned back')]).toEqual([200, true]);
  });

  test('loses the session that a logout token names, and the customer keeps theirs', async () => {
    await browser.signIn(ada);
    await browser.signInAsStaff();
    jest.spyOn(acme.staff.backChannelLogout, 'verify').mockResolvedValueOnce({ issuer, subject: 'eve', sid: 'sid-2' });
    const response = await browser.post('/acme/staff/backchannel-logout', { logout_token: 'token' });
    expect(response.statusCode).toBe(200);
    expect(await browser.isSignedIn()).toEqual({ customer: true, staff: false });
  });

  test('does not exist without an app for people, and says so', async () => {
    const { statusCode, body } = await browser.get('/globex/staff');
    expect([statusCode, body.includes('Globex has no app that signs in its people')]).toEqual([404, true]);
    expect((await browser.get('/globex')).body).not.toContain('/globex/staff');
    for (const path of ['/globex/staff/sign-in', '/globex/staff/customers', '/globex/staff/callback'])
      expect((await browser.get(path)).statusCode).toBe(404);
  });
});

describe('staff', () => {
  beforeEach(async () => {
    await browser.signInAsStaff();
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
    const { body } = await browser.get('/acme/staff/customers?claimed=true');
    for (const text of [
      '<a href="/acme/staff/customers/ada">Ada</a>',
      'Works',
      'claimed&#x3D;true&amp;page&#x3D;n',
      'aria-current',
    ])
      expect(body).toContain(text);
  });

  test('suspend a credential with a reason, and see the result on the customer’s page', async () => {
    const change = jest.spyOn(acme.credentials, 'change').mockResolvedValueOnce({} as never);
    const { body } = await browser.get('/acme/staff/customers/ada');
    expect(body.match(/credentials\/c\/[a-z]+"/g)).toEqual(['credentials/c/suspend"', 'credentials/c/revoke"']);
    const fields = { _csrf: fieldIn(body, '_csrf'), reason: 'misuse' };
    const response = await browser.post('/acme/staff/customers/ada/credentials/c/suspend', fields);
    expect([response.statusCode, response.headers.location]).toEqual([303, '/acme/staff/customers/ada']);
    expect(change).toHaveBeenCalledWith('c', 'suspend', 'misuse');
    expect((await browser.get('/acme/staff/customers/ada')).body).toContain('The credential is suspended');
  });

  test('cannot be made to change something by a form without their CSRF token', async () => {
    const change = jest.spyOn(acme.credentials, 'change');
    const other = new Browser();
    await other.signInAsStaff();
    for (const token of ['', 'x', await other.csrfToken('/acme/staff')]) {
      const response = await browser.post('/acme/staff/customers/ada/credentials/c/revoke', { _csrf: token });
      expect(response.statusCode).toBe(403);
    }
    expect(change).not.toHaveBeenCalled();
  });

  test('erase a customer, whose account and sessions end, and stay signed in', async () => {
    jest.spyOn(acme.credentials, 'erase').mockResolvedValueOnce();
    jest.spyOn(acme.credentials, 'list').mockResolvedValueOnce({ items: [], hasMore: false });
    const customer = new Browser();
    await customer.signIn(ada);
    await browser.signIn(ada);
    await browser.post('/acme/staff/customers/ada/erase', {
      _csrf: await browser.csrfToken('/acme/staff/customers/ada'),
    });
    expect(acme.accounts.all()).toEqual([]);
    for (const erased of [customer, browser])
      expect((await erased.get('/acme/account')).headers.location).toBe('/acme/sign-in');
    expect((await browser.get('/acme/staff/customers')).body).toContain('The customer is erased');
  });
});
