import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { RelyingParty, startRelyingParties, type RelyingParties } from '../relying-party.fixture.js';
import { newCustomer, stubs } from '../service-stubs.fixture.js';
import { TestBrowser, xsrfOf } from '../test-browser.fixture.js';

let { stack, shop, kiosk, globex } = {} as RelyingParties<'shop' | 'kiosk' | 'globex'>;

beforeAll(async () => {
  ({ stack, shop, kiosk, globex } = await startRelyingParties({
    shop: {},
    kiosk: { name: 'Kiosk' },
    globex: { org: 'globex' },
  }));
});
afterAll(() => stack.stop());
beforeEach(() => {
  stubs.records = [];
});

const sessionOf = (browser: TestBrowser, org = 'acme') =>
  browser.cookies.find((c) => c.name === `holdfast-${org}-session`)?.value;
const toApp = (params: Record<string, unknown>) => params as { code?: string; error?: string };

describe('a session', () => {
  test('signs in to the other apps of its organization without a passkey, and each sign-in is recorded', async () => {
    const { browser, as } = await shop.signIn();
    stubs.records = [];
    expect(toApp(await kiosk.authorize(browser, { prompt: 'none' })).code).toBeTruthy();
    expect(stubs.records).toMatchObject([
      {
        record: {
          action: 'customer.sign_in',
          actor: { type: 'customer', id: as },
          targets: [
            { type: 'app', id: kiosk.app.clientId },
            { type: 'credential', dataSubject: as },
          ],
        },
      },
    ]);
    expect(toApp(await globex.authorize(browser, { prompt: 'none' })).error).toBe('login_required');
  });

  test('without a live credential of the app’s type requires a passkey', async () => {
    const staff = await RelyingParty.start(stack, { name: 'Staff', credentialType: 'staff' });
    const { browser, as } = await shop.signIn();
    expect(toApp(await staff.authorize(browser, { prompt: 'none' })).error).toBe('login_required');
    expect(await staff.authorize(browser, {})).toMatchObject({
      status: 303,
      location: expect.stringContaining('/sign-in/'),
    });
    stubs.customers.get(as)!.types.push('staff');
    expect(toApp(await staff.authorize(browser, { prompt: 'none' })).code).toBeTruthy();
  });

  test('requires the passkey again with prompt=login and max_age, and auth_time increases', async () => {
    const { browser, as, claims } = await shop.signIn();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(toApp(await shop.authorize(browser, { max_age: '1000' })).code).toBeTruthy();
    for (const more of [
      { prompt: 'login' },
      { prompt: 'select_account' },
      { prompt: 'login select_account' },
      { max_age: '0' },
    ])
      expect(await shop.authorize(browser, more)).toMatchObject({ location: expect.stringContaining('/sign-in/') });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(await shop.authorize(browser, { max_age: '1' })).toMatchObject({
      location: expect.stringContaining('/sign-in/'),
    });
    expect(toApp(await shop.authorize(browser, { max_age: '1', prompt: 'none' })).error).toBe('login_required');
    for (const more of [{ prompt: 'login' }, { prompt: 'select_account' }, { prompt: 'login select_account' }]) {
      const again = await shop.signIn({ browser, as, more });
      expect(again.claims.auth_time).toBeGreaterThan(claims.auth_time!);
    }
  });

  test('gets a new id with every sign-in, so that an id which an attacker set is useless', async () => {
    const victim = new TestBrowser(stack.base);
    const attacker = await shop.signIn();
    const attackersId = sessionOf(attacker.browser)!;
    const signature = attacker.browser.cookies.find((c) => c.name === 'holdfast-acme-session.sig')!;
    for (const value of [attackersId, 'x'.repeat(21)]) {
      victim.cookies = [{ name: 'holdfast-acme-session', value, path: '/' }, signature];
      const { as } = await shop.signIn({ browser: victim, more: { prompt: 'login' } });
      expect(sessionOf(victim)).not.toBe(value);
      const params = toApp(await shop.authorize(attacker.browser, { prompt: 'none' }));
      if (params.code) throw new Error(`the attacker is signed in, perhaps as ${as}`);
    }
    const before = sessionOf(victim);
    await shop.signIn({ browser: victim, more: { prompt: 'login' } });
    expect(sessionOf(victim)).not.toBe(before);
  });

  test('gets a new id when the same customer signs in again, and the old id is rejected', async () => {
    const { browser, as } = await shop.signIn();
    const before = browser.cookies.filter(({ name }) => name.includes('session'));
    await shop.signIn({ browser, as, more: { prompt: 'login' } });
    expect(sessionOf(browser)).not.toBe(before.find(({ name }) => name.endsWith('session'))!.value);
    const old = new TestBrowser(stack.base);
    old.cookies = before;
    expect(toApp(await shop.authorize(old, { prompt: 'none' })).error).toBe('login_required');
    expect(toApp(await shop.authorize(browser, { prompt: 'none' })).code).toBeTruthy();
  });

  test('is revoked with its tokens when another customer signs in in the same browser', async () => {
    const first = await shop.signIn();
    const second = newCustomer();
    const { claims } = await shop.signIn({ browser: first.browser, as: second, more: { prompt: 'login' } });
    expect(claims.sub).toBe(second);
    expect((await shop.refresh(first.refreshToken)).json.error).toBe('invalid_grant');
    const old = new TestBrowser(stack.base);
    expect(toApp(await shop.authorize(first.browser, { prompt: 'none' })).code).toBeTruthy();
    expect(old.cookies).toEqual([]);
  });

  test('that has expired requires a passkey, and an expired sign-in is unknown', async () => {
    const { browser } = await shop.signIn();
    const page = await browser.begin((await shop.begin({ prompt: 'login' })).url);
    const now = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 31 * 60_000);
    const late = [
      await browser.post(`${page}/options`),
      await browser.go(`/o/acme/authorize/${page.split('/').at(-1)!}`),
    ];
    clock.mockRestore();
    expect(late.map(({ status }) => status)).toEqual([404, 400]);
    expect(toApp(await shop.authorize(browser, { prompt: 'none' })).code).toBeTruthy();
    await stack.expire('Session');
    expect(toApp(await shop.authorize(browser, { prompt: 'none' })).error).toBe('login_required');
  });

  test('of another customer than id_token_hint leads to login_required', async () => {
    const { browser } = await shop.signIn();
    const other = await shop.signIn();
    expect(toApp(await shop.authorize(browser, { prompt: 'none', id_token_hint: other.tokens.id_token! })).error).toBe(
      'login_required',
    );
  });

  test('lives fourteen hours from the sign-in, in a cookie with HttpOnly and SameSite', async () => {
    const browser = new TestBrowser(stack.base);
    const { url } = await shop.begin();
    const page = await browser.begin(url);
    await browser.post(`${page}/options`);
    const { json } = await browser.post(`${page}/complete`, { response: { as: newCustomer() } });
    const { headers } = await browser.go(json.redirectTo as string);
    const line = headers.getSetCookie().find((c) => c.startsWith('holdfast-acme-session='))!;
    expect(line).toMatch(/path=\/; .*samesite=lax; httponly/i);
    const expires = new Date(/expires=([^;]+)/.exec(line)![1]!).getTime() - Date.now();
    expect(Math.round(expires / 3_600_000)).toBe(14);
  });
});

test('with an https base URL cookies are Secure and addresses https, whatever the forwarding headers', async () => {
  const other = await stack.startReplica({ publicUrl: 'https://id.example' });
  const { url } = await shop.begin();
  const { search } = new URL(url);
  const { headers, location } = await new TestBrowser(other.base).go(`/o/acme/authorize${search}`, {
    headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', host: 'evil.example' },
  });
  expect(location).toMatch(/^\/o\/acme\/sign-in\/[\w-]+$/);
  const cookies = headers.getSetCookie();
  expect(cookies).toHaveLength(3);
  for (const cookie of cookies) expect(cookie).toMatch(/; secure; httponly/i);
  const metadata = await new TestBrowser(other.base).go('/o/acme/.well-known/openid-configuration', {
    headers: { 'x-forwarded-host': 'evil.example' },
  });
  expect(metadata.json.authorization_endpoint).toBe('https://id.example/o/acme/authorize');
  expect(metadata.headers.get('cache-control')).toBe('public, max-age=60');
  await other.stop();
});

describe('two organizations in one browser', () => {
  test('have a session each, and sign-ins at the same time', async () => {
    const browser = new TestBrowser(stack.base);
    const pages = [await browser.begin((await shop.begin()).url), await browser.begin((await globex.begin()).url)];
    expect((await browser.go(pages[0]!)).json).toMatchObject({ organization: { shortId: 'acme' } });
    expect((await browser.go(pages[1]!)).json).toMatchObject({ organization: { shortId: 'globex' } });
    const acme = await shop.signIn({ browser });
    const other = await globex.signIn({ browser });
    expect(acme.as).not.toBe(other.as);
    expect(
      browser.cookies
        .map((c) => c.name)
        .filter((name) => name.endsWith('session'))
        .sort(),
    ).toEqual(['holdfast-acme-session', 'holdfast-globex-session']);
    for (const party of [shop, globex])
      expect(toApp(await party.authorize(browser, { prompt: 'none' })).code).toBeTruthy();
    expect((await browser.go(pages[0]!.replace('/o/acme/', '/o/globex/'))).status).toBe(404);
  });

  test('have responses with their own issuer, so that a client detects a mix-up', async () => {
    const { url, checks } = await shop.begin();
    const back = new URL(await new TestBrowser(stack.base).signIn(url, newCustomer()));
    const { authorizationCodeGrant } = await import('openid-client');
    await expect(authorizationCodeGrant(globex.config, back, checks)).rejects.toThrow();
  });
});

describe('signing out', () => {
  const end = (more: Record<string, string>) => `/o/acme/session/end?${new URLSearchParams(more)}`;

  test('with the ID token revokes the session and its tokens at once, and redirects to the app', async () => {
    const { browser, tokens, as, refreshToken } = await shop.signIn();
    stubs.records = [];
    const { status, location } = await browser.go(
      end({ id_token_hint: tokens.id_token!, post_logout_redirect_uri: 'https://shop.example/bye', state: 'a&b' }),
    );
    expect([status, location]).toEqual([303, 'https://shop.example/bye?state=a%26b']);
    expect(stubs.records).toMatchObject([
      { record: { action: 'customer.sign_out', actor: { type: 'customer', id: as } } },
    ]);
    expect(sessionOf(browser)).toBeUndefined();
    expect(toApp(await shop.authorize(browser, { prompt: 'none' })).error).toBe('login_required');
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await shop.userinfo(tokens.access_token)).status).toBe(401);
    const again = await browser.go(
      end({ id_token_hint: tokens.id_token!, post_logout_redirect_uri: 'https://shop.example/bye' }),
    );
    expect([again.status, again.location, again.headers.getSetCookie()]).toEqual([303, 'https://shop.example/bye', []]);
  });

  test.each([
    ['nothing', {}],
    ['client_id', { client_id: 'SHOP', post_logout_redirect_uri: 'https://shop.example/bye' }],
  ])('with %s requires confirmation', async (_, given: Record<string, string>) => {
    const { browser, refreshToken } = await shop.signIn();
    const more = { ...given, ...(given.client_id && { client_id: shop.app.clientId }) };
    const page = await browser.go(end(more));
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    expect(page.text).toContain('Acme &amp; Sons');
    expect(page.headers.get('content-security-policy')).toContain(
      `form-action 'self'${given.client_id ? ' https://shop.example' : ''};`,
    );
    expect(toApp(await shop.authorize(browser, { prompt: 'none' })).code).toBeTruthy();
    const confirm = '/o/acme/session/end/confirm';
    expect((await browser.form(confirm, { xsrf: 'guessed', logout: 'yes' })).status).toBe(400);
    const xsrf = xsrfOf(await browser.go(end(more)));
    const { location } = await browser.form(confirm, { xsrf, logout: 'yes' });
    expect(location).toBe(given.client_id ? 'https://shop.example/bye' : `${stack.base}/o/acme/session/end/success`);
    if (!given.client_id) expect((await browser.go(location)).text).toContain('You are signed out');
    expect(toApp(await shop.authorize(browser, { prompt: 'none' })).error).toBe('login_required');
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
    const recorded = stubs.records
      .filter(({ record }) => record.action === 'customer.sign_out')
      .map(({ record: { actor, outcome } }) => [actor.type, outcome.result, outcome.status, outcome.code]);
    expect(recorded).toEqual([
      ['anonymous', 'failure', 400, 'invalid_request'],
      ['customer', 'success', 303, undefined],
    ]);
  });

  test.each([
    ['no value', {}],
    ['another value', { logout: 'no' }],
    ['two values', { logout: 'yes', more: '&logout=yes' }],
  ])('by a confirmation with %s changes nothing', async (_, given: { logout?: string; more?: string }) => {
    const { browser, tokens, refreshToken } = await shop.signIn();
    const xsrf = xsrfOf(
      await browser.go(end({ client_id: shop.app.clientId, post_logout_redirect_uri: 'https://shop.example/bye' })),
    );
    const body =
      new URLSearchParams({ xsrf, ...(given.logout !== undefined && { logout: given.logout }) }).toString() +
      (given.more ?? '');
    const response = await browser.go('/o/acme/session/end/confirm', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([response.status, response.location]).toEqual([400, '']);
    expect(response.text).toContain('you are still signed in');
    expect(toApp(await shop.authorize(browser, { prompt: 'none' })).code).toBeTruthy();
    expect((await shop.userinfo(tokens.access_token)).status).toBe(200);
    expect((await shop.refresh(refreshToken)).status).toBe(200);
  });

  test('by HEAD, which link scanners send, is 405, and so is every HEAD that would change state', async () => {
    const { browser, tokens } = await shop.signIn();
    const { url } = await shop.begin();
    const page = await browser.begin((await shop.begin({ prompt: 'login' })).url);
    await browser.post(`${page}/options`);
    const paths = [
      end({ id_token_hint: tokens.id_token! }),
      end({}),
      url,
      `/o/acme/authorize/${page.split('/').at(-1)!}`,
      '/o/acme/userinfo',
      page,
    ];
    for (const path of paths) expect((await browser.go(path, { method: 'HEAD' })).status).toBe(405);
    expect(toApp(await shop.authorize(browser, { prompt: 'none' })).code).toBeTruthy();
    expect((await browser.go('/o/acme/.well-known/openid-configuration', { method: 'HEAD' })).status).toBe(200);
  });

  test('without a session redirects at once, and with the hint of another customer requires confirmation', async () => {
    const { browser } = await shop.signIn();
    const other = await shop.signIn();
    expect((await browser.go(end({ id_token_hint: other.tokens.id_token! }))).status).toBe(200);
    const nobody = new TestBrowser(stack.base);
    expect((await nobody.go(end({}))).location).toContain('/session/end/success');
    expect(
      (await nobody.go(end({ client_id: shop.app.clientId, post_logout_redirect_uri: 'https://shop.example/bye' })))
        .location,
    ).toBe('https://shop.example/bye');
    expect(nobody.cookies).toEqual([]);
  });

  test.each([
    'https://evil.example/',
    'https://shop.example/bye/',
    'https://shop.example/bye?x',
    'https://shop.example/',
    'https://shop.example@evil.example/bye',
    'https://shop.example/callback',
  ])('never redirects to %s', async (uri) => {
    const { browser, tokens } = await shop.signIn();
    for (const more of [{ id_token_hint: tokens.id_token! }, { client_id: shop.app.clientId }] as Record<
      string,
      string
    >[]) {
      const { status, location } = await browser.go(end({ ...more, post_logout_redirect_uri: uri }));
      expect([status, location]).toEqual([400, '']);
    }
    const without = await browser.go(end({ post_logout_redirect_uri: uri }));
    expect([without.status, without.text.includes(uri)]).toEqual([200, false]);
    expect(toApp(await shop.authorize(browser, { prompt: 'none' })).code).toBeTruthy();
  });

  test('with an ID token of another organization, or a changed one, is rejected', async () => {
    const { browser, tokens } = await shop.signIn();
    const foreign = await globex.signIn();
    const changed = tokens.id_token!.replace(/\.[^.]+$/, `.${'A'.repeat(342)}`);
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${tokens.id_token!.split('.')[1]}.`;
    for (const id_token_hint of [foreign.tokens.id_token!, changed, unsigned, 'x'])
      expect((await browser.go(end({ id_token_hint }))).status).toBe(400);
    expect(toApp(await shop.authorize(browser, { prompt: 'none' })).code).toBeTruthy();
  });

  test('by POST is redirected to the same request by GET', async () => {
    const { browser, tokens } = await shop.signIn();
    const { status, location } = await browser.form('/o/acme/session/end', { id_token_hint: tokens.id_token! });
    expect(status).toBe(303);
    expect((await browser.go(location)).location).toContain('/session/end/success');
  });
});
