import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import * as oidc from 'openid-client';
import type { App } from '@holdfast/contracts';
import { newPerson, people } from '../person-stubs.fixture.js';
import { RelyingParty, startRelyingParties, type RelyingParties } from '../relying-party.fixture.js';
import { customerEvent, newCustomer, stubs } from '../service-stubs.fixture.js';
import { TestBrowser, type PageResponse } from '../test-browser.fixture.js';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
const device: Partial<App> = { kind: 'native', name: 'TV', redirectUris: [], deviceAuthorization: true };

let { stack, tv, shop } = {} as RelyingParties<'tv' | 'shop'>;
let issuer: string;
beforeAll(async () => {
  ({ stack, tv, shop } = await startRelyingParties({ tv: device, shop: {} }));
  issuer = `${stack.base}/o/acme`;
});
afterAll(() => stack.stop());
beforeEach(() => {
  stubs.records = [];
  stubs.auditUnavailable = false;
});

interface Codes {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
  error: string;
}

async function begin(party: RelyingParty = tv, more: Record<string, string> = {}): Promise<Codes & { status: number }> {
  const body = new URLSearchParams({ client_id: party.app.clientId, scope: 'openid', ...more });
  const response = await fetch(`${issuer}/device_authorization`, { method: 'POST', body });
  return { status: response.status, ...((await response.json()) as Codes) };
}
const poll = (deviceCode: string, party = tv) =>
  party.exchange({
    grant_type: grantType,
    device_code: deviceCode,
    redirect_uri: undefined,
    client_id: party.app.clientId,
  });
const decide = (browser: TestBrowser, code: string, decision?: string, headers: Record<string, string> = {}) =>
  browser.go('/o/acme/device', {
    method: 'POST',
    body: new URLSearchParams({ user_code: code, ...(decision && { decision }) }).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: stack.base,
      'sec-fetch-site': 'same-origin',
      ...headers,
    },
  });
/** Up to the verified passkey; returns where the browser continues. */
async function verify(browser: TestBrowser, code: string, as: string): Promise<string> {
  const { location } = await decide(browser, code, 'continue');
  const page = location.replace('/sign-in/', '/api/sign-in/');
  await browser.post(`${page}/options`);
  return String((await browser.post(`${page}/complete`, { response: { as } })).json.redirectTo);
}
async function approve(code: string, as: string, browser = new TestBrowser(stack.base)): Promise<PageResponse> {
  return browser.go(await verify(browser, code, as));
}
const heading = ({ text }: PageResponse) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1];
const recorded = () =>
  stubs.records.map(({ record: { action, actor, outcome } }) => [action, actor.type, outcome.result, outcome.code]);
const rows = async (model: string) =>
  (await stack.database.query('SELECT FROM auth.oidc_state WHERE model = $1', [model])).length;

describe('a sign-in on a device', () => {
  test('is completed by a standard client, and leaves the browser signed out', async () => {
    expect(tv.config.serverMetadata()).toMatchObject({
      device_authorization_endpoint: `${issuer}/device_authorization`,
      grant_types_supported: expect.arrayContaining([grantType]),
    });
    const codes = await oidc.initiateDeviceAuthorization(tv.config, { scope: 'openid' });
    expect(codes).toMatchObject({
      user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
      verification_uri: `${issuer}/device`,
      verification_uri_complete: `${issuer}/device?user_code=${codes.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    const browser = new TestBrowser(stack.base);
    expect(heading(await browser.go(codes.verification_uri))).toBe('Sign in on your device');
    const confirmation = await browser.go(codes.verification_uri_complete!);
    expect(heading(confirmation)).toBe('Sign in to TV on your device?');
    expect(confirmation.text).toContain(codes.user_code);
    const as = newCustomer();
    const { location } = await decide(browser, codes.user_code, 'continue');
    const page = location.replace('/sign-in/', '/api/sign-in/');
    expect((await browser.go(page, { headers: { accept: 'application/json' } })).json).toMatchObject({
      app: { name: 'TV' },
      device: true,
    });
    await browser.post(`${page}/options`);
    const { redirectTo } = (await browser.post(`${page}/complete`, { response: { as } })).json;
    expect(heading(await browser.go(String(redirectTo)))).toBe('You are signed in to TV');

    const tokens = await oidc.pollDeviceAuthorizationGrant(tv.config, { ...codes, interval: 0 });
    expect(tokens.claims()).toMatchObject({
      sub: as,
      acr: 'urn:holdfast:acr:passkey',
      credential: { type: 'customer' },
    });
    expect((await tv.userinfo(tokens.access_token)).json.sub).toBe(as);
    expect((await tv.refresh(tokens.refresh_token!)).status).toBe(200);
    expect(await rows('Session')).toBe(0);
    expect(browser.cookies.some(({ name }) => name.includes('session'))).toBe(false);
    expect(recorded().slice(0, 3)).toEqual([
      ['customer.sign_in', 'customer', 'success', undefined],
      ['customer.token', 'app', 'success', undefined],
      ['customer.userinfo', 'app', 'success', undefined],
    ]);
  });

  test('requires the passkey although the browser has a session', async () => {
    const { browser, as } = await shop.signIn();
    const { user_code } = await begin();
    expect((await decide(browser, user_code, 'continue')).location).toMatch(/^\/o\/acme\/sign-in\//);
    expect(heading(await approve(user_code, as, browser))).toBe('You are signed in to TV');
    expect((await browser.go((await shop.begin()).url)).location).toContain('code=');
  });

  test('of each device has a grant of its own, so that one ends without the other', async () => {
    const as = newCustomer();
    const tokens = [];
    for (const codes of [await begin(), await begin()]) {
      await approve(codes.user_code, as);
      tokens.push((await poll(codes.device_code)).json);
    }
    const revoked = await fetch(`${issuer}/token/revocation`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: tv.app.clientId, token: tokens[0]!.refresh_token! }),
    });
    expect(revoked.status).toBe(200);
    expect((await tv.userinfo(tokens[0]!.access_token!)).status).toBe(401);
    expect((await tv.userinfo(tokens[1]!.access_token!)).status).toBe(200);
  });

  test('waits for a decision, at the announced interval, without records', async () => {
    const { device_code } = await begin();
    const answers = [await poll(device_code), await poll(device_code)].map(({ status, json }) => [status, json.error]);
    expect(answers).toEqual([
      [400, 'authorization_pending'],
      [400, 'slow_down'],
    ]);
    expect(stubs.records).toEqual([]);
  });

  test('that is denied ends with access_denied, once', async () => {
    const codes = await begin();
    const browser = new TestBrowser(stack.base);
    expect(heading(await decide(browser, codes.user_code, 'deny'))).toBe('The device is not signed in');
    expect((await poll(codes.device_code)).json.error).toBe('access_denied');
    expect((await poll(codes.device_code)).json.error).toBe('invalid_grant');
    expect(heading(await decide(browser, codes.user_code, 'continue'))).toBe('Sign in on your device');
  });

  test('that is left on the sign-in page ends with access_denied', async () => {
    const codes = await begin();
    const browser = new TestBrowser(stack.base);
    const { location } = await decide(browser, codes.user_code, 'continue');
    const { redirectTo } = (await browser.post(`${location.replace('/sign-in/', '/api/sign-in/')}/cancel`)).json;
    expect(heading(await browser.go(String(redirectTo)))).toBe('The device is not signed in');
    expect((await poll(codes.device_code)).json.error).toBe('access_denied');
  });

  test('whose code has expired ends with expired_token, and nobody can enter the code', async () => {
    const codes = await begin();
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + 601_000);
    try {
      expect((await poll(codes.device_code)).json.error).toBe('expired_token');
      expect(heading(await decide(new TestBrowser(stack.base), codes.user_code))).toBe('Sign in on your device');
    } finally {
      clock.mockRestore();
    }
  });
});

describe('the code of a device', () => {
  test('can be typed in small letters, with spaces or without a hyphen; any other is unknown and counted', async () => {
    const { user_code } = await begin();
    const browser = new TestBrowser(stack.base);
    for (const typed of [user_code.toLowerCase(), user_code.replace('-', ''), ` ${user_code.replace('-', ' ')} `])
      expect(heading(await decide(browser, typed))).toBe('Sign in to TV on your device?');
    for (const typed of ['', 'AAAA-AAAA', 'BCDF-BCDF', '"><script>', 'x'.repeat(500)]) {
      const page = await decide(browser, typed);
      expect([page.status, heading(page)]).toEqual([200, 'Sign in on your device']);
      expect(page.text).toContain('No device shows this code');
      expect(page.text).not.toContain('<script>');
    }
    expect(recorded()).toEqual([['customer.sign_in', 'anonymous', 'denied', 'unknown_user_code']]);
  });

  test('signs in one device, once, of one of ten that are confirmed at the same time', async () => {
    const codes = await begin();
    const customers = Array.from({ length: 10 }, () => newCustomer());
    const prepared = await Promise.all(
      customers.map(async (as) => {
        const browser = new TestBrowser(stack.base);
        return { browser, url: await verify(browser, codes.user_code, as) };
      }),
    );
    const pages = await Promise.all(prepared.map(({ browser, url }) => browser.go(url)));
    expect(pages.filter((page) => heading(page) === 'You are signed in to TV')).toHaveLength(1);
    const answers = await Promise.all(Array.from({ length: 10 }, () => poll(codes.device_code)));
    const successes = answers.filter(({ status }) => status === 200);
    expect(successes.length).toBeLessThanOrEqual(1);
    const names = (action: string) => recorded().filter(([name, , result]) => name === action && result === 'success');
    expect(names('customer.sign_in')).toHaveLength(1);
    const ended = pages.filter((page) => heading(page) === 'This sign-in has ended');
    expect(ended).toHaveLength(9);
    expect(recorded().filter(([, , , code]) => code === 'unknown_sign_in').length).toBeGreaterThan(0);
    // A second use revokes what the first has got (RFC 9700 §4.14.2).
    for (const { json } of successes) expect((await tv.userinfo(json.access_token!)).status).toBe(401);
  });

  test('is of no use in another browser, for another app, or in another organization', async () => {
    const codes = await begin();
    const [own, other] = [new TestBrowser(stack.base), new TestBrowser(stack.base)];
    const url = await verify(own, codes.user_code, newCustomer());
    expect(heading(await other.go(url))).toBe('This sign-in has ended');
    expect((await own.go(url.replace('/device/', '/authorize/'))).status).toBe(400);
    const second = await RelyingParty.start(stack, device);
    expect((await poll(codes.device_code, second)).json).toMatchObject({ error: 'invalid_grant' });
    const globex = await other.go(`/o/globex/device?user_code=${codes.user_code}`);
    expect(heading(globex)).toBe('Sign in on your device');
    expect(heading(await own.go(url))).toBe('You are signed in to TV');
  });

  test('is not accepted from a page of another site', async () => {
    const { user_code } = await begin();
    const browser = new TestBrowser(stack.base);
    const attempts: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of attempts) expect((await decide(browser, user_code, 'continue', headers)).status).toBe(403);
    expect((await browser.post('/o/acme/device', {})).status).toBe(415);
    expect((await browser.go('/o/acme/device', { method: 'PUT' })).status).toBe(405);
  });
});

describe('a person of the organization', () => {
  test('signs in on a device of an app that they are assigned to, with the scopes that it asks for', async () => {
    const desk = await RelyingParty.start(stack, { ...device, name: 'Desk', audience: 'people' });
    const [as, other] = [newPerson([desk.app]), newPerson()];
    const codes = await begin(desk, { scope: 'openid email profile' });
    expect(heading(await approve(codes.user_code, as))).toBe('You are signed in to Desk');
    const { json } = await poll(codes.device_code, desk);
    expect((await desk.userinfo(json.access_token!)).json).toMatchObject({ sub: as, email: people.get(as)!.email });
    expect(json.scope).toBe('openid email profile');
    expect(recorded()).toContainEqual(['user.sign_in', 'person', 'success', undefined]);

    const denied = await begin(desk);
    const browser = new TestBrowser(stack.base);
    const { location } = await decide(browser, denied.user_code, 'continue');
    const page = location.replace('/sign-in/', '/api/sign-in/');
    await browser.post(`${page}/options`);
    expect((await browser.post(`${page}/complete`, { response: { as: other } })).json.refused).toBe('not_assigned');

    const [{ apps } = { apps: 0 }] = await stack.database.query<{ apps: number }>(
      'SELECT count(*)::int AS apps FROM auth.oidc_state WHERE account = $1 AND client_id = $2',
      [as, desk.app.clientId],
    );
    expect(apps).toBe(
      (
        await stack.database.query('SELECT FROM auth.oidc_state WHERE account = $1 AND model IN ($2, $3, $4, $5)', [
          as,
          'Grant',
          'DeviceCode',
          'AccessToken',
          'RefreshToken',
        ])
      ).length,
    );
    people.get(as)!.apps.clear();
    expect((await desk.refresh(json.refresh_token!)).status).toBe(400);
  });
});

describe('what ends a sign-in on a device', () => {
  const update = (changes: Partial<App>) =>
    stack.changeDirectory(() => {
      const record = stubs.clients.get(tv.app.clientId)!;
      record.app = { ...record.app, ...changes, version: record.app.version + 1 };
    });

  test('is the setting of the app: neither page nor tokens work without it', async () => {
    const [shown, approved] = [await begin(), await begin()];
    const as = newCustomer();
    await approve(approved.user_code, as);
    await update({ deviceAuthorization: false });
    try {
      expect(heading(await decide(new TestBrowser(stack.base), shown.user_code))).toBe('Sign in on your device');
      expect((await poll(approved.device_code)).status).toBeGreaterThanOrEqual(400);
      expect((await begin()).status).toBeGreaterThanOrEqual(400);
    } finally {
      await update({ deviceAuthorization: true });
    }
    for (const party of [shop, await RelyingParty.start(stack, { kind: 'native' })])
      expect((await begin(party)).status).toBeGreaterThanOrEqual(400);
  });

  test('is an erasure or suspension, before the confirmation and between it and the tokens', async () => {
    for (const type of ['subject.erased', 'credential.suspended'] as const) {
      const [before, between] = [await begin(), await begin()];
      const as = newCustomer();
      const browser = new TestBrowser(stack.base);
      const url = await verify(browser, before.user_code, as);
      await approve(between.user_code, as);
      stubs.customers.get(as)!.state = type === 'subject.erased' ? 'unknown' : 'not_live';
      await stack.publish(customerEvent(type, as));
      expect(heading(await browser.go(url))).not.toBe('You are signed in to TV');
      expect((await poll(between.device_code)).status).toBe(400);
      expect((await poll(before.device_code)).status).toBe(400);
    }
  });

  test('is not an unavailable audit log: the record is committed and follows', async () => {
    const codes = await begin();
    const browser = new TestBrowser(stack.base);
    const url = await verify(browser, codes.user_code, newCustomer());
    stubs.auditUnavailable = true;
    expect(heading(await browser.go(url))).toBe('You are signed in to TV');
    stubs.auditUnavailable = false;
    expect((await poll(codes.device_code)).status).toBe(200);
  });
});
