import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startRelyingParties, type RelyingParties } from '../../relying-party.fixture.js';
import { newCustomer } from '../../service-stubs.fixture.js';
import { TestBrowser } from '../../test-browser.fixture.js';

let { stack, shop } = {} as RelyingParties<'shop'>;

beforeAll(async () => {
  ({ stack, shop } = await startRelyingParties({ shop: {} }));
});
afterAll(() => stack.stop());

const uidOf = (page: string) => page.split('/').at(-1)!;

/** A browser of an attacker with a sign-in of their own, who tries the id of another one in every cookie. */
async function attackerOf(uid: string): Promise<TestBrowser> {
  const attacker = new TestBrowser(stack.base);
  await attacker.begin((await shop.begin()).url);
  const own = attacker.cookies;
  const names = ['sign-in', 'resume', 'session', 'browser'].flatMap((kind) => [
    `holdfast-acme-${kind}`,
    `__Host-holdfast-acme-${kind}`,
  ]);
  const signatures = own.filter(({ name }) => name.endsWith('.sig')).map(({ value }) => value);
  attacker.cookies = [
    ...own,
    ...names.flatMap((name) => [
      { name, value: uid, path: '/' },
      ...signatures.map((value) => ({ name: `${name}.sig`, value, path: '/' })),
    ]),
  ];
  return attacker;
}

test('with the address of a sign-in alone every request is denied, and its customer signs in', async () => {
  for (let round = 0; round < 8; round += 1) {
    const as = newCustomer();
    const browser = new TestBrowser(stack.base);
    const { url, checks } = await shop.begin();
    const page = await browser.begin(url);
    const attackers = [await attackerOf(uidOf(page)), new TestBrowser(stack.base)];
    let done = false;
    const results: string[] = [];
    const attacks = attackers.map(async (attacker) => {
      do {
        const responses = [
          await attacker.go(`/o/acme/authorize/${uidOf(page)}`),
          await attacker.go(page),
          await attacker.post(`${page}/options`),
          await attacker.post(`${page}/complete`, { response: { as } }),
          await attacker.post(`${page}/cancel`),
        ];
        results.push(...responses.map(({ status, location }) => `${status} ${location}`));
      } while (!done);
    });
    const { json } = await browser
      .post(`${page}/options`)
      .then(() => browser.post(`${page}/complete`, { response: { as } }));
    const { location } = await browser.go(String(json.redirectTo));
    done = true;
    await Promise.all(attacks);
    expect(new Set(results)).toEqual(new Set(['400 ', '404 ']));
    expect(new URL(location).searchParams.get('code')).toBeTruthy();
    expect(new URL(location).searchParams.get('state')).toBe(checks.expectedState);
    for (const attacker of attackers)
      expect(await shop.authorize(attacker, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
  }
});

test('a sign-in that an attacker began cannot be completed in the browser of a customer', async () => {
  const attacker = new TestBrowser(stack.base);
  const page = await attacker.begin((await shop.begin()).url);
  const { browser, as } = await shop.signIn();
  for (const victim of [browser, new TestBrowser(stack.base)]) {
    for (const step of ['options', 'complete', 'cancel']) {
      const response = await victim.post(`${page}/${step}`, step === 'complete' ? { response: { as } } : {});
      expect([response.status, response.json.error]).toEqual([404, 'unknown_sign_in']);
    }
    expect((await victim.go(`/o/acme/authorize/${uidOf(page)}`)).status).toBe(400);
  }
});

describe('a cookie', () => {
  const otherKey = Buffer.alloc(32, 12);
  const sessionAt = async (browser: TestBrowser, base: string) => {
    const { search } = new URL((await shop.begin({ prompt: 'none' })).url);
    const { location } = await browser.go(`${base}/o/acme/authorize${search}`);
    return new URL(location).searchParams.get('error') ?? 'signed in';
  };
  const finish = async (browser: TestBrowser, page: string, base: string) => {
    await browser.post(`${base}${page}/options`);
    const { json } = await browser.post(`${base}${page}/complete`, { response: { as: newCustomer() } });
    const { pathname } = new URL(String(json.redirectTo), base);
    return (await browser.go(base + pathname)).location;
  };

  test('is accepted by every replica, and after a rotation of its key while the old key is configured', async () => {
    const rotated = await stack.startReplica({
      config: { COOKIE_KEY: otherKey, COOKIE_KEY_PREVIOUS: Buffer.alloc(32, 11) },
    });
    const announced = await stack.startReplica({ config: { COOKIE_KEY_PREVIOUS: otherKey } });
    const [before, after] = [new TestBrowser(stack.base), new TestBrowser(stack.base)];
    const page = await before.begin((await shop.begin()).url);
    expect(await finish(before, page, rotated.base)).toContain('code=');
    const second = await after.begin(`${rotated.base}/o/acme/authorize${new URL((await shop.begin()).url).search}`);
    expect(await finish(after, second, announced.base)).toContain('code=');
    for (const browser of [before, after])
      for (const { base } of [announced, rotated]) expect(await sessionAt(browser, base)).toBe('signed in');
    await Promise.all([rotated.stop(), announced.stop()]);
  });

  test('that was signed with a removed key is ignored', async () => {
    const { browser } = await shop.signIn();
    const page = await browser.begin((await shop.begin({ prompt: 'login' })).url);
    const replaced = await stack.startReplica({ config: { COOKIE_KEY: otherKey } });
    expect((await browser.post(`${replaced.base}${page}/options`)).json.error).toBe('unknown_sign_in');
    browser.cookies = browser.cookies.filter(({ name }) => name.includes('session'));
    expect(await sessionAt(browser, replaced.base)).toBe('login_required');
    await replaced.stop();
  });

  test.each(['session', 'sign-in'])(
    'of a %s without its signature, or with that of another cookie, is ignored',
    async (kind) => {
      const [{ browser }, { browser: stranger }] = [await shop.signIn(), await shop.signIn()];
      const name = `holdfast-acme-${kind}`;
      const signature = stranger.cookies.find((cookie) => cookie.name === `${name}.sig`)!;
      const page = await browser.begin((await shop.begin({ prompt: 'login' })).url);
      for (const signed of [
        [],
        [signature],
        [{ ...signature, value: '' }],
        [{ ...signature, value: 'x'.repeat(5000) }],
      ]) {
        const changed = new TestBrowser(stack.base);
        changed.cookies = [...browser.cookies.filter((cookie) => cookie.name !== `${name}.sig`), ...signed];
        if (kind === 'session')
          expect(await shop.authorize(changed, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
        else expect((await changed.post(`${page}/options`)).json.error).toBe('unknown_sign_in');
      }
      expect((await browser.post(`${page}/options`)).status).toBe(200);
    },
  );

  test('over https cannot be set by another host, and contains no id from an address', async () => {
    const https = await stack.startReplica({ publicUrl: 'https://id.example' });
    const { headers, location } = await new TestBrowser(https.base).go(
      `/o/acme/authorize${new URL((await shop.begin()).url).search}`,
    );
    const cookies = headers.getSetCookie();
    expect(cookies.map((line) => line.split('=')[0])).toEqual([
      '__Host-holdfast-acme-sign-in',
      '__Host-holdfast-acme-sign-in.sig',
      'holdfast-acme-request',
    ]);
    // Sealed, and useless without the first.
    expect(cookies[2]).toMatch(
      new RegExp(`; path=/o/acme/api/sign-in/${uidOf(location)}; .*samesite=lax; secure; httponly`, 'i'),
    );
    for (const line of cookies.slice(0, 2)) {
      expect(line).toMatch(/; path=\/; .*samesite=lax; secure; httponly/i);
      expect(line).not.toMatch(/domain=/i);
      expect(line).not.toContain(uidOf(location));
    }
    await https.stop();
  });
});
