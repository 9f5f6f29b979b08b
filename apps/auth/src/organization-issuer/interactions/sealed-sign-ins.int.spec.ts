import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startRelyingParties, type RelyingParties } from '../../relying-party.fixture.js';
import { newCustomer } from '../../service-stubs.fixture.js';
import { TestBrowser } from '../../test-browser.fixture.js';

let { stack, shop } = {} as RelyingParties<'shop'>;

beforeAll(async () => {
  ({ stack, shop } = await startRelyingParties({ shop: {} }));
});
afterAll(() => stack.stop());

const rows = () => stack.database.query('SELECT model FROM auth.oidc_state ORDER BY model');
const uidOf = (page: string) => page.split('/').at(-1)!;
const resume = (browser: TestBrowser, page: string) => browser.go(`/o/acme/authorize/${uidOf(page)}`);
const random = (length: number) => randomBytes(length).toString('base64url').slice(0, length);
const sealedCookieOf = (browser: TestBrowser) => browser.cookies.find(({ name }) => name === 'holdfast-acme-request')!;
/** Presents a passkey; the browser has not returned to the app yet. */
async function complete(browser: TestBrowser, page: string, as = newCustomer()): Promise<void> {
  await browser.post(`${page}/options`);
  expect((await browser.post(`${page}/complete`, { response: { as } })).json.redirectTo).toContain(uidOf(page));
}

describe('a sign-in without a verified passkey', () => {
  test('stores nothing, whatever its requests, also when it is cancelled', async () => {
    const before = await rows();
    for (let i = 0; i < 20; i += 1) {
      const browser = new TestBrowser(stack.base);
      const page = await browser.begin((await shop.begin()).url);
      expect((await browser.go(page)).status).toBe(200);
      for (let j = 0; j < 2; j += 1) await browser.post(`${page}/options`);
      await browser.post(`${page}/complete`, { response: { as: 'nobody' } });
      await browser.post(`${page}/cancel`);
      const { location } = await resume(browser, page);
      expect(new URL(location).searchParams.get('error')).toBe('access_denied');
    }
    expect(await rows()).toEqual(before);
  });

  test('stores nothing with the cookie of an ended session, and neither does a sign-out', async () => {
    const { browser } = await shop.signIn();
    await stack.database.query('DELETE FROM auth.oidc_state');
    for (let i = 0; i < 3; i += 1) {
      await browser.begin((await shop.begin()).url);
      await browser.go('/o/acme/session/end');
      await new TestBrowser(stack.base).go('/o/acme/session/end');
    }
    expect(await rows()).toEqual([]);
  });
});

describe('tabs of one browser', () => {
  test('complete sign-ins of their own, concurrently and at different replicas', async () => {
    const other = await stack.startReplica();
    const browser = new TestBrowser(stack.base);
    const begun = await Promise.all([shop.begin(), shop.begin({ prompt: 'login' }), shop.begin()]);
    const pages: string[] = [];
    for (const { url } of begun) pages.push(await browser.begin(url));
    const as = newCustomer();
    for (const [i, page] of pages.entries()) {
      const base = i % 2 === 0 ? other.base : stack.base;
      expect((await browser.go(base + page)).status).toBe(200);
      await browser.post(`${base}${page}/options`);
    }
    await complete(browser, pages[1]!, as);
    const { searchParams } = new URL((await resume(browser, pages[1]!)).location);
    expect([searchParams.get('state'), searchParams.has('code')]).toEqual([begun[1].checks.expectedState, true]);
    for (const page of [pages[0]!, pages[2]!]) {
      // These began before there was a session.
      await complete(browser, page, as);
      expect((await resume(browser, page)).location).toContain('code=');
    }
    await other.stop();
  });

  test('with the same sign-in: the first passkey completes it, and the other tab gets unknown_sign_in', async () => {
    const [first, second] = [new TestBrowser(stack.base), new TestBrowser(stack.base)];
    const page = await first.begin((await shop.begin()).url);
    second.cookies = [...first.cookies];
    await second.post(`${page}/options`);
    await complete(first, page);
    for (const step of ['options', 'complete', 'cancel'])
      expect((await second.post(`${page}/${step}`, { response: { as: newCustomer() } })).json.error).toBe(
        'unknown_sign_in',
      );
    expect((await second.go(page)).json.error).toBe('unknown_sign_in');
  });
});

describe('a completed sign-in', () => {
  test('gives one code to fifty concurrent requests, also with earlier cookies, and is then unknown', async () => {
    const browser = new TestBrowser(stack.base);
    const page = await browser.begin((await shop.begin()).url);
    const earlierCookies = [...browser.cookies];
    await complete(browser, page);
    expect(sealedCookieOf(browser)).toBeUndefined();
    const copies = Array.from({ length: 50 }, () => {
      const copy = new TestBrowser(stack.base);
      copy.cookies = [...browser.cookies, ...earlierCookies];
      return copy;
    });
    const responses = await Promise.all(copies.map((copy) => resume(copy, page)));
    expect(responses.filter(({ location }) => location.includes('code='))).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(49);
    for (const copy of [browser, ...copies.slice(0, 3)]) {
      expect((await copy.go(page)).json.error).toBe('unknown_sign_in');
      expect((await copy.post(`${page}/complete`, { response: { as: newCustomer() } })).json.error).toBe(
        'unknown_sign_in',
      );
    }
    expect(
      (
        await stack.database.query(
          `SELECT account FROM auth.oidc_state WHERE model = 'Interaction' AND consumed_at IS NOT NULL`,
        )
      ).every((row) => row.account === null),
    ).toBe(true);
  });
});

describe('the cookie of a sign-in', () => {
  test('is rejected when changed, and for another sign-in, browser or organization', async () => {
    const [browser, other] = [new TestBrowser(stack.base), new TestBrowser(stack.base)];
    const page = await browser.begin((await shop.begin()).url);
    const elsewhere = await browser.begin((await shop.begin()).url);
    await other.begin((await shop.begin()).url);
    const sealed = browser.cookies.find(({ path }) => path === page)!;
    const cases: [TestBrowser, string, string][] = [
      [browser, page, `${sealed.value.slice(0, -2)}AA`],
      [browser, page, ''],
      [browser, page, 'x'],
      [browser, elsewhere, sealed.value],
      [other, page, sealed.value],
      [browser, page.replace('acme', 'globex'), sealed.value],
    ];
    for (const [of, path, value] of cases) {
      const copy = new TestBrowser(stack.base);
      copy.cookies = [
        ...of.cookies.filter(({ name }) => name !== sealed.name),
        ...['acme', 'globex'].map((org) => ({ name: `holdfast-${org}-request`, value, path })),
      ];
      expect((await copy.post(`${path}/options`)).json.error).toBe('unknown_sign_in');
    }
    expect((await browser.post(`${page}/options`)).status).toBe(200);
  });

  test('fits into every browser with a state of 2,048 characters, which the app gets back', async () => {
    const state = 'aB1-_~'.repeat(400).slice(0, 2048);
    const browser = new TestBrowser(stack.base);
    const begun = await browser.go((await shop.begin({ state })).url);
    for (const line of begun.headers.getSetCookie()) expect(line.length).toBeLessThanOrEqual(4096);
    const page = begun.location.replace('/sign-in/', '/api/sign-in/');
    await browser.post(`${page}/options`);
    const refused = await browser.post(`${page}/complete`, { response: { as: 'nobody' } });
    for (const line of refused.headers.getSetCookie()) expect(line.length).toBeLessThanOrEqual(4096);
    await complete(browser, page);
    expect(new URL((await resume(browser, page)).location).searchParams.get('state')).toBe(state);
  });

  test('fits with a hint of 700 random characters beside a random state', async () => {
    const state = random(2048);
    const browser = new TestBrowser(stack.base);
    const more = { state, nonce: random(43), login_hint: random(700) };
    const page = await browser.begin((await shop.begin(more)).url);
    await browser.post(`${page}/options`);
    const refused = await browser.post(`${page}/complete`, { response: { as: 'nobody' } });
    for (const line of refused.headers.getSetCookie()) expect(line.length).toBeLessThanOrEqual(4096);
    await browser.post(`${page}/cancel`);
    const { searchParams } = new URL((await resume(browser, page)).location);
    expect([searchParams.get('error'), searchParams.get('state')]).toEqual(['access_denied', state]);
  });

  test.each([
    ['state', { state: 'x'.repeat(2049) }],
    ['state, nonce, or hints', { state: random(2000), login_hint: random(1700) }],
  ])('is not set when %s is too long, and the app gets invalid_request', async (what, more) => {
    const { location, headers } = await new TestBrowser(stack.base).go((await shop.begin(more)).url);
    const { searchParams } = new URL(location);
    expect([searchParams.get('error'), searchParams.get('state')]).toEqual(['invalid_request', more.state]);
    expect(searchParams.get('error_description')).toContain(what);
    expect(headers.getSetCookie().join()).not.toContain('holdfast-acme-request');
  });
});

test('an authorization request by POST with more than 8,192 bytes is 413', async () => {
  const { status } = await new TestBrowser(stack.base).form('/o/acme/authorize', { state: 'x'.repeat(8192) });
  expect(status).toBe(413);
});
