import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newCustomer, startAuthStack, type AuthStack } from '../../auth-stack.fixture.js';
import { RelyingParty } from '../../relying-party.fixture.js';
import { TestBrowser } from '../../test-browser.fixture.js';

let stack: AuthStack;
let shop: RelyingParty;

beforeAll(async () => {
  stack = await startAuthStack();
  shop = await RelyingParty.start(stack);
});
afterAll(() => stack.stop());

const uidOf = (page: string) => page.split('/').at(-1)!;

/**
 * Everything that somebody can send who has a browser of their own, with a sign-in of their own, and has seen an
 * address.
 */
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

test('who has only seen the address of a sign-in gets nothing of it: 8 of 8 are refused, and the customer is signed in', async () => {
  for (let round = 0; round < 8; round += 1) {
    const as = newCustomer();
    const browser = new TestBrowser(stack.base);
    const { url, checks } = await shop.begin();
    const page = await browser.begin(url);
    const attackers = [await attackerOf(uidOf(page)), new TestBrowser(stack.base)];
    let done = false;
    const seen: string[] = [];
    const racing = attackers.map(async (attacker) => {
      do {
        const answers = [
          await attacker.go(`/o/acme/authorize/${uidOf(page)}`),
          await attacker.go(page),
          await attacker.post(`${page}/options`),
          await attacker.post(`${page}/complete`, { response: { as } }),
          await attacker.post(`${page}/cancel`),
        ];
        seen.push(...answers.map(({ status, location }) => `${status} ${location}`));
      } while (!done);
    });
    const { json } = await browser
      .post(`${page}/options`)
      .then(() => browser.post(`${page}/complete`, { response: { as } }));
    const { location } = await browser.go(String(json.redirectTo));
    done = true;
    await Promise.all(racing);
    expect(new Set(seen)).toEqual(new Set(['400 ', '404 ']));
    expect(new URL(location).searchParams.get('code')).toBeTruthy();
    expect(new URL(location).searchParams.get('state')).toBe(checks.expectedState);
    for (const attacker of attackers)
      expect(await shop.silently(attacker, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
  }
});

test('a sign-in that an attacker began cannot be finished in the browser of a customer who follows its address', async () => {
  const attacker = new TestBrowser(stack.base);
  const page = await attacker.begin((await shop.begin()).url);
  const { browser, as } = await shop.signIn();
  for (const victim of [browser, new TestBrowser(stack.base)]) {
    for (const step of ['options', 'complete', 'cancel']) {
      const answer = await victim.post(`${page}/${step}`, step === 'complete' ? { response: { as } } : {});
      expect([answer.status, answer.json.error]).toEqual([404, 'unknown_sign_in']);
    }
    expect((await victim.go(`/o/acme/authorize/${uidOf(page)}`)).status).toBe(400);
  }
});

describe('a cookie', () => {
  const other = Buffer.alloc(32, 12);
  const silently = async (browser: TestBrowser, base: string) => {
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

  test('counts at every replica, and after its key was rotated as long as the old one counts', async () => {
    const rotated = await stack.another(undefined, { COOKIE_KEY: other, COOKIE_KEY_PREVIOUS: Buffer.alloc(32, 11) });
    const announced = await stack.another(undefined, { COOKIE_KEY_PREVIOUS: other });
    const [before, after] = [new TestBrowser(stack.base), new TestBrowser(stack.base)];
    const page = await before.begin((await shop.begin()).url);
    expect(await finish(before, page, rotated.base)).toContain('code=');
    const second = await after.begin(`${rotated.base}/o/acme/authorize${new URL((await shop.begin()).url).search}`);
    expect(await finish(after, second, announced.base)).toContain('code=');
    for (const browser of [before, after])
      for (const { base } of [announced, rotated]) expect(await silently(browser, base)).toBe('signed in');
    await Promise.all([rotated.stop(), announced.stop()]);
  });

  test('that was signed with a key which counts no more is no cookie', async () => {
    const { browser } = await shop.signIn();
    const page = await browser.begin((await shop.begin({ prompt: 'login' })).url);
    const replaced = await stack.another(undefined, { COOKIE_KEY: other });
    expect((await browser.post(`${replaced.base}${page}/options`)).json.error).toBe('unknown_sign_in');
    browser.cookies = browser.cookies.filter(({ name }) => name.includes('session'));
    expect(await silently(browser, replaced.base)).toBe('login_required');
    await replaced.stop();
  });

  test.each(['session', 'sign-in'])(
    'of a %s without its signature, or with that of another, is no cookie',
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
          expect(await shop.silently(changed, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
        else expect((await changed.post(`${page}/options`)).json.error).toBe('unknown_sign_in');
      }
      expect((await browser.post(`${page}/options`)).status).toBe(200);
    },
  );

  test('over https is one that no other host can set, and holds no id that stands in an address', async () => {
    const https = await stack.another('https://id.example');
    const { headers, location } = await new TestBrowser(https.base).go(
      `/o/acme/authorize${new URL((await shop.begin()).url).search}`,
    );
    const cookies = headers.getSetCookie();
    expect(cookies.map((line) => line.split('=')[0])).toEqual([
      '__Host-holdfast-acme-sign-in',
      '__Host-holdfast-acme-sign-in.sig',
      'holdfast-acme-request',
    ]);
    // Sealed, and worth nothing without the first.
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
