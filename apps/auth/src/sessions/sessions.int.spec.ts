import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { stubs, newCustomer, startAuthStack, type AuthStack } from '../auth-stack.fixture.js';
import { RelyingParty } from '../relying-party.fixture.js';
import { TestBrowser } from '../test-browser.fixture.js';

let stack: AuthStack;
let shop: RelyingParty;
let kiosk: RelyingParty;
let globex: RelyingParty;

beforeAll(async () => {
  stack = await startAuthStack();
  [shop, kiosk, globex] = [
    await RelyingParty.start(stack),
    await RelyingParty.start(stack, { name: 'Kiosk' }),
    await RelyingParty.start(stack, { org: 'globex' }),
  ];
});
afterAll(() => stack.stop());
beforeEach(() => {
  stubs.records = [];
});

const sessionOf = (browser: TestBrowser, org = 'acme') =>
  browser.cookies.find((c) => c.name === `holdfast-${org}-session`)?.value;
const backWith = (params: Record<string, unknown>) => params as { code?: string; error?: string };

describe('a session', () => {
  test('signs in to the other apps of its organization, silently and recorded', async () => {
    const { browser, as } = await shop.signIn();
    stubs.records = [];
    expect(backWith(await kiosk.silently(browser, { prompt: 'none' })).code).toBeTruthy();
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
    expect(backWith(await globex.silently(browser, { prompt: 'none' })).error).toBe('login_required');
  });

  test('of a customer without a credential of the type of the app is asked again, and silently refused', async () => {
    const staff = await RelyingParty.start(stack, { name: 'Staff', credentialType: 'staff' });
    const { browser, as } = await shop.signIn();
    expect(backWith(await staff.silently(browser, { prompt: 'none' })).error).toBe('login_required');
    expect(await staff.silently(browser, {})).toMatchObject({
      status: 303,
      location: expect.stringContaining('/sign-in/'),
    });
    stubs.customers.get(as)!.types.push('staff');
    expect(backWith(await staff.silently(browser, { prompt: 'none' })).code).toBeTruthy();
  });

  test('prompt=login and max_age ask for the passkey again; auth_time moves', async () => {
    const { browser, as, claims } = await shop.signIn();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(backWith(await shop.silently(browser, { max_age: '1000' })).code).toBeTruthy();
    for (const more of [
      { prompt: 'login' },
      { prompt: 'select_account' },
      { prompt: 'login select_account' },
      { max_age: '0' },
    ])
      expect(await shop.silently(browser, more)).toMatchObject({ location: expect.stringContaining('/sign-in/') });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(await shop.silently(browser, { max_age: '1' })).toMatchObject({
      location: expect.stringContaining('/sign-in/'),
    });
    expect(backWith(await shop.silently(browser, { max_age: '1', prompt: 'none' })).error).toBe('login_required');
    for (const more of [{ prompt: 'login' }, { prompt: 'select_account' }, { prompt: 'login select_account' }]) {
      const again = await shop.signIn({ browser, as, more });
      expect(again.claims.auth_time).toBeGreaterThan(claims.auth_time!);
    }
  });

  test('gets a new id with every sign-in: one that was planted is worth nothing', async () => {
    const victim = new TestBrowser(stack.base);
    const attacker = await shop.signIn();
    const planted = sessionOf(attacker.browser)!;
    const signature = attacker.browser.cookies.find((c) => c.name === 'holdfast-acme-session.sig')!;
    for (const value of [planted, 'x'.repeat(21)]) {
      victim.cookies = [{ name: 'holdfast-acme-session', value, path: '/' }, signature];
      const { as } = await shop.signIn({ browser: victim, more: { prompt: 'login' } });
      expect(sessionOf(victim)).not.toBe(value);
      const params = backWith(await shop.silently(attacker.browser, { prompt: 'none' }));
      if (params.code) throw new Error(`the attacker is signed in, perhaps as ${as}`);
    }
    const before = sessionOf(victim);
    await shop.signIn({ browser: victim, more: { prompt: 'login' } });
    expect(sessionOf(victim)).not.toBe(before);
  });

  test('gets a new id when the same customer signs in once more, and the old one is worth nothing', async () => {
    const { browser, as } = await shop.signIn();
    const before = browser.cookies.filter(({ name }) => name.includes('session'));
    await shop.signIn({ browser, as, more: { prompt: 'login' } });
    expect(sessionOf(browser)).not.toBe(before.find(({ name }) => name.endsWith('session'))!.value);
    const old = new TestBrowser(stack.base);
    old.cookies = before;
    expect(backWith(await shop.silently(old, { prompt: 'none' })).error).toBe('login_required');
    expect(backWith(await shop.silently(browser, { prompt: 'none' })).code).toBeTruthy();
  });

  test('ends when another customer signs in in the same browser, with what came of it', async () => {
    const first = await shop.signIn();
    const second = newCustomer();
    const { claims } = await shop.signIn({ browser: first.browser, as: second, more: { prompt: 'login' } });
    expect(claims.sub).toBe(second);
    expect((await shop.refresh(first.refreshToken)).json.error).toBe('invalid_grant');
    const old = new TestBrowser(stack.base);
    expect(backWith(await shop.silently(first.browser, { prompt: 'none' })).code).toBeTruthy();
    expect(old.cookies).toEqual([]);
  });

  test('that has expired, and a sign-in that has, are over', async () => {
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
    expect(backWith(await shop.silently(browser, { prompt: 'none' })).code).toBeTruthy();
    await stack.expire('Session');
    expect(backWith(await shop.silently(browser, { prompt: 'none' })).error).toBe('login_required');
  });

  test('id_token_hint of somebody else is not passed over', async () => {
    const { browser } = await shop.signIn();
    const other = await shop.signIn();
    expect(
      backWith(await shop.silently(browser, { prompt: 'none', id_token_hint: other.tokens.id_token! })).error,
    ).toBe('login_required');
  });

  test('lives fourteen hours from the sign-in, in a cookie that scripts and other sites cannot reach', async () => {
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

test('over https every cookie is Secure and every address https, whatever a client says of its way', async () => {
  const other = await stack.another('https://id.example');
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
  test('have a session each, and begin sign-ins side by side', async () => {
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
      expect(backWith(await party.silently(browser, { prompt: 'none' })).code).toBeTruthy();
    expect((await browser.go(pages[0]!.replace('/o/acme/', '/o/globex/'))).status).toBe(404);
  });

  test('an answer of one issuer says whose it is', async () => {
    const { url, checks } = await shop.begin();
    const back = new URL(await new TestBrowser(stack.base).signIn(url, newCustomer()));
    const { authorizationCodeGrant } = await import('openid-client');
    await expect(authorizationCodeGrant(globex.config, back, checks)).rejects.toThrow();
  });
});

describe('signing out', () => {
  const end = (more: Record<string, string>) => `/o/acme/session/end?${new URLSearchParams(more)}`;

  test('with the ID token: at once, back to the app, with all that came of the session', async () => {
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
    expect(backWith(await shop.silently(browser, { prompt: 'none' })).error).toBe('login_required');
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
  ])('with %s: only after they said so', async (_, given: Record<string, string>) => {
    const { browser, refreshToken } = await shop.signIn();
    const more = { ...given, ...(given.client_id && { client_id: shop.app.clientId }) };
    const page = await browser.go(end(more));
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    expect(page.text).toContain('Acme &amp; Sons');
    expect(page.headers.get('content-security-policy')).toContain(
      `form-action 'self'${given.client_id ? ' https://shop.example' : ''};`,
    );
    expect(backWith(await shop.silently(browser, { prompt: 'none' })).code).toBeTruthy();
    const confirm = '/o/acme/session/end/confirm';
    expect((await browser.form(confirm, { xsrf: 'guessed', logout: 'yes' })).status).toBe(400);
    const [, xsrf] = /name="xsrf" value="([^"]+)"/.exec((await browser.go(end(more))).text)!;
    const { location } = await browser.form(confirm, { xsrf: xsrf!, logout: 'yes' });
    expect(location).toBe(given.client_id ? 'https://shop.example/bye' : `${stack.base}/o/acme/session/end/success`);
    if (!given.client_id) expect((await browser.go(location)).text).toContain('You are signed out');
    expect(backWith(await shop.silently(browser, { prompt: 'none' })).error).toBe('login_required');
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
    const told = stubs.records
      .filter(({ record }) => record.action === 'customer.sign_out')
      .map(({ record: { actor, outcome } }) => [actor.type, outcome.result, outcome.status, outcome.code]);
    expect(told).toEqual([
      ['anonymous', 'failure', 400, 'invalid_request'],
      ['customer', 'success', 303, undefined],
    ]);
  });

  test.each([
    ['no answer', {}],
    ['another answer', { logout: 'no' }],
    ['two answers', { logout: 'yes', more: '&logout=yes' }],
  ])('a confirmation with %s changes nothing', async (_, given: { logout?: string; more?: string }) => {
    const { browser, tokens, refreshToken } = await shop.signIn();
    const { text } = await browser.go(
      end({ client_id: shop.app.clientId, post_logout_redirect_uri: 'https://shop.example/bye' }),
    );
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(text)![1]!;
    const body =
      new URLSearchParams({ xsrf, ...(given.logout !== undefined && { logout: given.logout }) }).toString() +
      (given.more ?? '');
    const answer = await browser.go('/o/acme/session/end/confirm', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([answer.status, answer.location]).toEqual([400, '']);
    expect(answer.text).toContain('you are still signed in');
    expect(backWith(await shop.silently(browser, { prompt: 'none' })).code).toBeTruthy();
    expect((await shop.userinfo(tokens.access_token)).status).toBe(200);
    expect((await shop.refresh(refreshToken)).status).toBe(200);
  });

  test('HEAD, which link scanners and previews send, neither signs out nor in', async () => {
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
    expect(backWith(await shop.silently(browser, { prompt: 'none' })).code).toBeTruthy();
    expect((await browser.go('/o/acme/.well-known/openid-configuration', { method: 'HEAD' })).status).toBe(200);
  });

  test('somebody who has no session, or not that of the hint', async () => {
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
  ])('does not lead to %s', async (uri) => {
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
    expect(backWith(await shop.silently(browser, { prompt: 'none' })).code).toBeTruthy();
  });

  test('an ID token of another organization, or one that was changed, is no hint', async () => {
    const { browser, tokens } = await shop.signIn();
    const foreign = await globex.signIn();
    const changed = tokens.id_token!.replace(/\.[^.]+$/, `.${'A'.repeat(342)}`);
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${tokens.id_token!.split('.')[1]}.`;
    for (const id_token_hint of [foreign.tokens.id_token!, changed, unsigned, 'x'])
      expect((await browser.go(end({ id_token_hint }))).status).toBe(400);
    expect(backWith(await shop.silently(browser, { prompt: 'none' })).code).toBeTruthy();
  });

  test('by POST too', async () => {
    const { browser, tokens } = await shop.signIn();
    const { status, location } = await browser.form('/o/acme/session/end', { id_token_hint: tokens.id_token! });
    expect(status).toBe(303);
    expect((await browser.go(location)).location).toContain('/session/end/success');
  });
});
