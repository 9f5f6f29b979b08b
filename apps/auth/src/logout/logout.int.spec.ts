import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify, type JWTPayload } from 'jose';
import { eventually } from '@holdfast/testing';
import { credentialOf, newCustomer, startAuthStack, type AuthStack } from '../auth-stack.fixture.js';
import { RelyingParty } from '../relying-party.fixture.js';
import { TestBrowser } from '../test-browser.fixture.js';

interface Told {
  path: string;
  type: string | undefined;
  token: string;
}

let stack: AuthStack;
let receiver: Server;
let origin: string;
let told: Told[] = [];
/** What each path answers, in turn; then 200. Undefined: nothing, ever. */
const answers = new Map<string, (number | undefined)[]>();

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const path = request.url!;
      told.push({
        path,
        type: request.headers['content-type'],
        token: new URLSearchParams(body).get('logout_token') ?? '',
      });
      const [next, ...rest] = answers.get(path) ?? [200];
      if (rest.length > 0) answers.set(path, rest);
      if (next !== undefined) response.writeHead(next).end();
    });
  });
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  stack = await startAuthStack({ allow: [origin] });
});
afterAll(async () => {
  await stack.stop();
  receiver.closeAllConnections();
  receiver.close();
});
beforeEach(() => {
  told = [];
  answers.clear();
});

const app = (path: string, changes: Parameters<typeof RelyingParty.start>[1] = {}) =>
  RelyingParty.start(stack, { name: path, backchannelLogoutUri: `${origin}/${path}`, ...changes });
const event = (type: string, subject: string, version: number, more: object = {}) =>
  stack.publish({
    id: randomUUID(),
    type,
    occurredAt: new Date().toISOString(),
    org: 'acme',
    subject,
    version,
    requestId: 'r',
    traceparent: 't',
    ...more,
  });
const toldTo = (path: string) => told.filter((one) => one.path === `/${path}`);
const verified = (token: string, audience: string) =>
  jwtVerify(token, createRemoteJWKSet(new URL(`${stack.base}/o/acme/jwks`)), {
    issuer: `${stack.base}/o/acme`,
    audience,
    typ: 'logout+jwt',
  });
const waiting = () =>
  stack.database.query<{ client_id: string; attempts: number }>('SELECT client_id, attempts FROM auth.logout_notification');

/** Everything that Back-Channel Logout §2.4 asks of a logout token. */
async function expectLogoutToken({ type, token }: Told, party: RelyingParty, claims: JWTPayload): Promise<string> {
  const { payload, protectedHeader } = await verified(token, party.app.clientId);
  expect(type).toBe('application/x-www-form-urlencoded');
  expect(protectedHeader).toEqual({
    alg: party.app.app.idTokenAlg ?? 'RS256',
    typ: 'logout+jwt',
    kid: expect.any(String),
  });
  expect(payload).toEqual({
    ...claims,
    iss: `${stack.base}/o/acme`,
    aud: party.app.clientId,
    iat: expect.any(Number),
    exp: payload.iat! + 120,
    jti: expect.any(String),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  });
  return payload.jti!;
}

test('is announced', async () => {
  const discovery = (await (await fetch(`${stack.base}/o/acme/.well-known/openid-configuration`)).json()) as object;
  expect(discovery).toMatchObject({ backchannel_logout_supported: true, backchannel_logout_session_supported: true });
});

describe('who is told', () => {
  test('signing out of one app: the other apps of the session, and not those of another browser', async () => {
    const [one, two] = [await app('one'), await app('two', { idTokenAlg: 'ES256' })];
    const { as, browser, tokens } = await one.signIn();
    const second = await two.silently(browser, {});
    expect(second).toHaveProperty('code');
    await one.signIn({ as });
    await browser.go(`/o/acme/session/end?id_token_hint=${tokens.id_token}`);
    await eventually(async () => toldTo('two').length === 1);
    await expectLogoutToken(toldTo('two')[0]!, two, { sub: as, sid: expect.any(String) });
    await eventually(async () => (await waiting()).length === 0);
    expect(toldTo('one')).toEqual([]);
  });

  test('signing out by one’s own decision: every app of the session', async () => {
    const one = await app('asked');
    const { as, browser, claims } = await one.signIn();
    const page = await browser.go('/o/acme/session/end');
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)![1]!;
    expect((await browser.form('/o/acme/session/end/confirm', { xsrf, logout: 'yes' })).status).toBe(303);
    await eventually(async () => toldTo('asked').length === 1);
    await expectLogoutToken(toldTo('asked')[0]!, one, { sub: as, sid: claims.sid });
  });

  test('another customer signs in in the same browser: the apps of the one before', async () => {
    const one = await app('shared');
    const { as, browser, claims } = await one.signIn();
    await one.signIn({ browser, more: { prompt: 'login' } });
    await eventually(async () => toldTo('shared').length === 1);
    await expectLogoutToken(toldTo('shared')[0]!, one, { sub: as, sid: claims.sid });
  });

  test.each(['credential.rekeyed', 'subject.erasure_started'])('%s: every app, once for each session', async (type) => {
    const [shop, kiosk] = [await app('shop'), await app('kiosk', { credentialType: 'membership' })];
    const as = newCustomer('acme', ['customer', 'membership']);
    const sids = [(await shop.signIn({ as })).claims.sid, (await shop.signIn({ as })).claims.sid];
    await kiosk.signIn({ as });
    await event(type, as, 3);
    await eventually(async () => toldTo('shop').length === 2 && toldTo('kiosk').length === 1);
    const heard = await Promise.all(
      toldTo('shop').map(async ({ token }) => (await verified(token, shop.app.clientId)).payload),
    );
    expect(heard.map(({ sid }) => sid).sort()).toEqual(sids.sort());
    expect(new Set(heard.map(({ jti }) => jti)).size).toBe(2);
    // Told of the erased customer, nothing here names them any more.
    await eventually(async () => (await waiting()).length === 0);
  });

  test.each(['credential.suspended', 'credential.revoked', 'credential.expired'])(
    '%s: the apps of that type, also those that a refresh token alone keeps signed in',
    async (type) => {
      const [shop, kiosk] = [await app('shop'), await app('kiosk', { credentialType: 'membership' })];
      const as = newCustomer('acme', ['customer', 'membership']);
      await kiosk.signIn({ as });
      const { claims } = await shop.signIn({ as });
      await stack.database.query(`DELETE FROM auth.oidc_state WHERE account = $1 AND model = 'Session'`, [as]);
      await event(type, as, 3, {
        data: { subject: as, credentialId: credentialOf(as).id, credentialType: 'customer' },
      });
      await eventually(async () => toldTo('shop').length === 1);
      await expectLogoutToken(toldTo('shop')[0]!, shop, { sub: as, sid: claims.sid });
      await event(type, as, 3, {
        data: { subject: as, credentialId: credentialOf(as).id, credentialType: 'customer' },
      });
      const marker = await shop.signIn();
      await event('subject.erasure_started', marker.as, 3);
      await eventually(async () => toldTo('shop').length === 2);
      expect(toldTo('kiosk')).toEqual([]);
    },
  );

  test('an app without such an address is not waited for', async () => {
    const silent = await RelyingParty.start(stack);
    const { as } = await silent.signIn();
    await event('subject.erasure_started', as, 3);
    await eventually(
      async () =>
        (await stack.database.query('SELECT 1 FROM auth.oidc_state WHERE account = $1', [as])).length === 0 &&
        (await waiting()).length === 0,
    );
    expect(told).toEqual([]);
  });
});

describe('an app that does not take it', () => {
  test('is tried again with a token of its own, and holds up no other', async () => {
    const [deaf, failing, well] = [await app('deaf'), await app('failing'), await app('well')];
    answers.set('/deaf', [undefined]);
    answers.set('/failing', [500, 302, 200]);
    const as = newCustomer();
    for (let i = 0; i < 8; i += 1) await deaf.signIn({ as });
    const browser = new TestBrowser(stack.base);
    await failing.signIn({ as, browser });
    await well.silently(browser, {});
    await event('subject.erasure_started', as, 3);
    await eventually(async () => toldTo('well').length === 1);
    await eventually(async () => toldTo('failing').length === 3, 15_000);
    const jtis = await Promise.all(
      toldTo('failing').map((one) => expectLogoutToken(one, failing, { sub: as, sid: expect.any(String) })),
    );
    expect(new Set(jtis).size).toBe(3);
    await eventually(async () => (await waiting()).every(({ client_id }) => client_id === deaf.app.clientId));
    expect(stack.lines.join('')).toContain(
      `App ${failing.app.clientId} of acme was not notified of a revoked session (attempt 1): status 500.`,
    );
    expect(stack.lines.filter((line) => line.includes('back-channel')).join('')).not.toContain(as);
    expect(
      JSON.stringify(
        await stack.database.query(
          `SELECT org, client_id, encode(payload, 'escape') AS payload FROM auth.logout_notification`,
        ),
      ),
    ).not.toContain(as);
    await stack.database.query('DELETE FROM auth.logout_notification');
  });

  test('what a replica took and did not bring to an end is brought by another', async () => {
    const party = await app('later');
    const { as, claims } = await party.signIn();
    // As a process leaves it that took the notification and died: leased for a while, counted as an attempt.
    answers.set('/later', [500, 500, 200]);
    await event('subject.erasure_started', as, 3);
    await eventually(async () => toldTo('later').length > 0);
    const other = await stack.another();
    await eventually(async () => toldTo('later').length === 3, 15_000);
    await expectLogoutToken(toldTo('later')[2]!, party, { sub: as, sid: claims.sid });
    await eventually(async () => (await waiting()).length === 0);
    await other.stop();
  });

  test('is given up in the end', async () => {
    const party = await app('never');
    answers.set('/never', [500]);
    const { as } = await party.signIn();
    await event('subject.erasure_started', as, 3);
    await eventually(async () => toldTo('never').length === 1);
    await stack.database.query('UPDATE auth.logout_notification SET expires_at = now()');
    await eventually(async () => (await waiting()).length === 0, 15_000);
    expect(stack.lines.join('')).toContain('The notification is given up');
  });

  test.each([
    'http://127.0.0.1:9/',
    'https://127.0.0.1/',
    'https://localhost/',
    'https://[::ffff:169.254.169.254]/',
    'https://10.0.0.1/',
  ])('%s is never called', async (backchannelLogoutUri) => {
    const party = await RelyingParty.start(stack, { backchannelLogoutUri });
    const { as } = await party.signIn();
    await event('subject.erasure_started', as, 3);
    await eventually(async () =>
      stack.lines.some((line) => line.includes(party.app.clientId) && line.includes('address not allowed')),
    );
    await stack.database.query('DELETE FROM auth.logout_notification');
  });
});

test('a logout token is no hint of who wants to sign out, or signs in', async () => {
  const party = await app('hint');
  const [first, second] = [await party.signIn(), new TestBrowser(stack.base)];
  await party.signIn({ as: first.as, browser: second });
  const { text } = await first.browser.go('/o/acme/session/end');
  await first.browser.form('/o/acme/session/end/confirm', {
    xsrf: /name="xsrf" value="([^"]+)"/.exec(text)![1]!,
    logout: 'yes',
  });
  await eventually(() => expect(toldTo('hint')).toHaveLength(1));
  const { token } = toldTo('hint')[0]!;
  expect(await second.go(`/o/acme/session/end?id_token_hint=${token}`)).toMatchObject({ status: 400, location: '' });
  expect(await party.silently(second, { prompt: 'none', id_token_hint: token })).toMatchObject({
    error: 'invalid_request',
  });
  expect(await party.silently(second, { prompt: 'none' })).toHaveProperty('code');
});
