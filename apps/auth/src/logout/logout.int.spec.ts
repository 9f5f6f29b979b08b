import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify, type JWTPayload } from 'jose';
import type { App, CustomerEvent, EventType } from '@holdfast/contracts';
import { eventually, moreJobRuns } from '@holdfast/testing';
import { AuthStack } from '../auth-stack.fixture.js';
import { RelyingParty } from '../relying-party.fixture.js';
import { credentialOf, customerEvent, newCustomer } from '../service-stubs.fixture.js';
import { TestBrowser } from '../test-browser.fixture.js';

interface Notification {
  path: string;
  type: string | undefined;
  token: string;
}

let stack: AuthStack;
let receiver: Server;
let origin: string;
let received: Notification[] = [];
/** Status codes of a path's responses, one after the other, and the last one for ever. Undefined: no response. */
const statuses = new Map<string, (number | undefined)[]>();

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const path = request.url!;
      received.push({
        path,
        type: request.headers['content-type'],
        token: new URLSearchParams(body).get('logout_token') ?? '',
      });
      const [status, ...rest] = statuses.get(path) ?? [200];
      if (rest.length > 0) statuses.set(path, rest);
      if (status !== undefined) response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  stack = await AuthStack.start({ OUTBOUND_ALLOW: [origin] });
});
afterAll(async () => {
  await stack.stop();
  receiver.closeAllConnections();
  receiver.close();
});
beforeEach(() => {
  received = [];
  statuses.clear();
});

/** An app whose notifications arrive at this path. */
const appAt = (path: string, changes: Partial<App> = {}) =>
  RelyingParty.start(stack, { name: path, backchannelLogoutUri: `${origin}/${path}`, ...changes });
const publish = (type: EventType, subject: string, changes: Partial<CustomerEvent> = {}) =>
  stack.publish(customerEvent(type, subject, { version: 3, ...changes }));
const notificationsTo = (path: string) => received.filter((one) => one.path === `/${path}`);
const verified = (token: string, audience: string) =>
  jwtVerify(token, createRemoteJWKSet(new URL(`${stack.base}/o/acme/jwks`)), {
    issuer: `${stack.base}/o/acme`,
    audience,
    typ: 'logout+jwt',
  });
const pending = () =>
  stack.database.query<{ client_id: string; attempts: number }>(
    'SELECT client_id, attempts FROM auth.logout_notification',
  );

/** Checks every requirement of Back-Channel Logout §2.4 for a logout token; returns its `jti`. */
async function expectLogoutToken(
  { type, token }: Notification,
  party: RelyingParty,
  claims: JWTPayload,
): Promise<string> {
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

test('the metadata announces back-channel logout', async () => {
  const discovery = (await (await fetch(`${stack.base}/o/acme/.well-known/openid-configuration`)).json()) as object;
  expect(discovery).toMatchObject({ backchannel_logout_supported: true, backchannel_logout_session_supported: true });
});

describe('which apps are notified', () => {
  test('a sign-out by one app notifies it and the other apps of the session, and none of another browser', async () => {
    const [one, two] = [await appAt('one'), await appAt('two', { idTokenAlg: 'ES256' })];
    const { as, browser, tokens, claims } = await one.signIn();
    const second = await two.authorize(browser, {});
    expect(second).toHaveProperty('code');
    await one.signIn({ as });
    await browser.go(`/o/acme/session/end?id_token_hint=${tokens.id_token}`);
    await eventually(async () => notificationsTo('one').length === 1 && notificationsTo('two').length === 1);
    await expectLogoutToken(notificationsTo('one')[0]!, one, { sub: as, sid: claims.sid });
    await expectLogoutToken(notificationsTo('two')[0]!, two, { sub: as, sid: expect.any(String) });
    await eventually(async () => (await pending()).length === 0);
    expect(received.length).toBe(2);
  });

  test('a confirmed sign-out notifies every app of the session', async () => {
    const one = await appAt('confirmed');
    const { as, browser, claims } = await one.signIn();
    expect((await browser.confirmSignOut('acme')).status).toBe(303);
    await eventually(async () => notificationsTo('confirmed').length === 1);
    await expectLogoutToken(notificationsTo('confirmed')[0]!, one, { sub: as, sid: claims.sid });
  });

  test('a sign-in of another customer in the same browser notifies the apps of the previous one', async () => {
    const one = await appAt('shared');
    const { as, browser, claims } = await one.signIn();
    await one.signIn({ browser, more: { prompt: 'login' } });
    await eventually(async () => notificationsTo('shared').length === 1);
    await expectLogoutToken(notificationsTo('shared')[0]!, one, { sub: as, sid: claims.sid });
  });

  test.each(['credential.rekeyed', 'subject.erasure_started'] as const)(
    '%s notifies every app, once for each session',
    async (type) => {
      const [shop, kiosk] = [await appAt('shop'), await appAt('kiosk', { credentialType: 'membership' })];
      const as = newCustomer('acme', ['customer', 'membership']);
      const sids = [(await shop.signIn({ as })).claims.sid, (await shop.signIn({ as })).claims.sid];
      await kiosk.signIn({ as });
      await publish(type, as);
      await eventually(async () => notificationsTo('shop').length === 2 && notificationsTo('kiosk').length === 1);
      const tokens = await Promise.all(
        notificationsTo('shop').map(async ({ token }) => (await verified(token, shop.app.clientId)).payload),
      );
      expect(tokens.map(({ sid }) => sid).sort()).toEqual(sids.sort());
      expect(new Set(tokens.map(({ jti }) => jti)).size).toBe(2);
      // Nothing that names an erased customer remains after the delivery.
      await eventually(async () => (await pending()).length === 0);
    },
  );

  test.each(['credential.suspended', 'credential.revoked', 'credential.expired'] as const)(
    '%s notifies the apps of that type, also those with a refresh token and no session',
    async (type) => {
      const [shop, kiosk] = [await appAt('shop'), await appAt('kiosk', { credentialType: 'membership' })];
      const as = newCustomer('acme', ['customer', 'membership']);
      await kiosk.signIn({ as });
      const { claims } = await shop.signIn({ as });
      await stack.database.query(`DELETE FROM auth.oidc_state WHERE account = $1 AND model = 'Session'`, [as]);
      const data = { subject: as, credentialId: credentialOf(as).id, credentialType: 'customer' };
      await publish(type, as, { data });
      await eventually(async () => notificationsTo('shop').length === 1);
      await expectLogoutToken(notificationsTo('shop')[0]!, shop, { sub: as, sid: claims.sid });
      // A repeated event notifies nobody again; the next event shows that it was consumed.
      await publish(type, as, { data });
      const next = await shop.signIn();
      await publish('subject.erasure_started', next.as);
      await eventually(async () => notificationsTo('shop').length === 2);
      expect(notificationsTo('kiosk')).toEqual([]);
    },
  );

  test('an app without a logout URI is not notified, and leaves no pending notification', async () => {
    const party = await RelyingParty.start(stack);
    const { as } = await party.signIn();
    await publish('subject.erasure_started', as);
    await eventually(
      async () =>
        (await stack.database.query('SELECT 1 FROM auth.oidc_state WHERE account = $1', [as])).length === 0 &&
        (await pending()).length === 0,
    );
    expect(received).toEqual([]);
  });
});

describe('an app that does not accept a notification', () => {
  test('is notified again with a new token, and delays no other app', async () => {
    const [hung, failing, healthy] = [await appAt('hung'), await appAt('failing'), await appAt('healthy')];
    statuses.set('/hung', [undefined]);
    statuses.set('/failing', [500, 302, 200]);
    const as = newCustomer();
    for (let i = 0; i < 8; i += 1) await hung.signIn({ as });
    const browser = new TestBrowser(stack.base);
    await failing.signIn({ as, browser });
    await healthy.authorize(browser, {});
    await publish('subject.erasure_started', as);
    await eventually(async () => notificationsTo('healthy').length === 1);
    await eventually(async () => notificationsTo('failing').length === 3);
    const jtis = await Promise.all(
      notificationsTo('failing').map((one) => expectLogoutToken(one, failing, { sub: as, sid: expect.any(String) })),
    );
    expect(new Set(jtis).size).toBe(3);
    await eventually(async () => (await pending()).every(({ client_id }) => client_id === hung.app.clientId));
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

  test('is notified by any replica in the end', async () => {
    const party = await appAt('later');
    const { as, claims } = await party.signIn();
    statuses.set('/later', [500, 500, 200]);
    await publish('subject.erasure_started', as);
    await eventually(async () => notificationsTo('later').length > 0);
    const other = await stack.startReplica();
    await eventually(async () => notificationsTo('later').length === 3);
    await expectLogoutToken(notificationsTo('later')[2]!, party, { sub: as, sid: claims.sid });
    await eventually(async () => (await pending()).length === 0);
    await other.stop();
  });

  test('is not notified after the notification has expired', async () => {
    const party = await appAt('never');
    statuses.set('/never', [500]);
    const { as } = await party.signIn();
    await publish('subject.erasure_started', as);
    await eventually(async () => notificationsTo('never').length === 1);
    await stack.database.query('UPDATE auth.logout_notification SET expires_at = now()');
    await eventually(async () => (await pending()).length === 0);
    await eventually(() => expect(stack.lines.join('')).toContain('The notification is given up'));
  });

  test.each([
    'http://127.0.0.1:9/',
    'https://127.0.0.1/',
    'https://localhost/',
    'https://[::ffff:169.254.169.254]/',
    'https://10.0.0.1/',
  ])('is never called at %s', async (backchannelLogoutUri) => {
    const party = await RelyingParty.start(stack, { backchannelLogoutUri });
    const { as } = await party.signIn();
    await publish('subject.erasure_started', as);
    await eventually(async () =>
      stack.lines.some((line) => line.includes(party.app.clientId) && line.includes('address not allowed')),
    );
    await stack.database.query('DELETE FROM auth.logout_notification');
  });
});

test('a logout token is rejected as id_token_hint of a sign-out or a sign-in', async () => {
  const party = await appAt('hint');
  const [first, second] = [await party.signIn(), new TestBrowser(stack.base)];
  await party.signIn({ as: first.as, browser: second });
  await first.browser.confirmSignOut('acme');
  await eventually(() => expect(notificationsTo('hint')).toHaveLength(1));
  const { token } = notificationsTo('hint')[0]!;
  expect(await second.go(`/o/acme/session/end?id_token_hint=${token}`)).toMatchObject({ status: 400, location: '' });
  expect(await party.authorize(second, { prompt: 'none', id_token_hint: token })).toMatchObject({
    error: 'invalid_request',
  });
  expect(await party.authorize(second, { prompt: 'none' })).toHaveProperty('code');
});

test('a run that cannot read the notifications counts as failed', async () => {
  await stack.database.refuseConnections(true);
  await moreJobRuns(stack.auth.opsPort, 'logout_notifications', 2, 'failed');
  await stack.database.refuseConnections(false);
  await moreJobRuns(stack.auth.opsPort, 'logout_notifications', 1, 'succeeded');
});
