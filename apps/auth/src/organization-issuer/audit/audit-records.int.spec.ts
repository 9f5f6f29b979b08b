import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { addApp, basicAuthorization, type TestApp } from '../../auth-stack.fixture.js';
import { startRelyingParties, type RelyingParties } from '../../relying-party.fixture.js';
import { newCustomer, stubs } from '../../service-stubs.fixture.js';
import { TestBrowser } from '../../test-browser.fixture.js';

let { stack, shop } = {} as RelyingParties<'shop'>;
beforeAll(async () => {
  ({ stack, shop } = await startRelyingParties({ shop: {} }));
});
afterAll(() => stack.stop());
beforeEach(() => {
  stubs.records = [];
  stubs.auditUnavailable = false;
});

const recorded = () =>
  stubs.records.map(({ record: { action, actor, outcome } }) => [
    action,
    actor.type,
    outcome.result,
    outcome.status,
    outcome.code,
    outcome.count,
  ]);
const browserHeaders = {
  'x-holdfast-client-address': '::ffff:192.0.2.7',
  'user-agent': `Browser/1 ${'x'.repeat(600)}`,
};
const post = (path: string, client: Pick<TestApp, 'clientId' | 'secret'>, body: string) =>
  fetch(`${stack.base}/o/acme${path}`, {
    method: 'POST',
    headers: {
      authorization: basicAuthorization(client),
      'content-type': 'application/x-www-form-urlencoded',
      ...browserHeaders,
    },
    body,
  });
const revoke = (token: string, secret = shop.app.secret) =>
  post('/token/revocation', { ...shop.app, secret }, `token=${token}`);

describe('a request of an app', () => {
  test('for userinfo is recorded, and counted when it is denied', async () => {
    const { tokens, as } = await shop.signIn();
    stubs.records = [];
    expect(
      (
        await fetch(`${stack.base}/o/acme/userinfo`, {
          headers: { authorization: `Bearer ${tokens.access_token}`, ...browserHeaders },
        })
      ).status,
    ).toBe(200);
    expect(stubs.records).toMatchObject([
      {
        org: 'acme',
        record: {
          action: 'customer.userinfo',
          actor: { type: 'app', id: shop.app.clientId },
          outcome: { result: 'success', status: 200 },
          request: { method: 'GET', route: '/o/{shortId}/userinfo' },
        },
      },
    ]);
    expect(stubs.records[0]!.record.targets.map((t) => t.type)).toEqual(['app', 'customer', 'credential']);
    expect(stubs.records[0]!.record.targets[1]!.id).toBe(as);
    // Only records of customers contain address and user agent.
    expect(Object.keys(stubs.records[0]!.record.request)).toEqual(['id', 'traceparent', 'method', 'route']);
    stubs.records = [];
    for (const wrong of ['x', 'y']) await shop.userinfo(wrong);
    expect(recorded()).toEqual([['customer.userinfo', 'anonymous', 'denied', 401, 'invalid_token', 2]]);
    expect(stubs.records[0]!.record.targets).toEqual([]);
  });

  test('to revoke a token is recorded, also for an unknown token, and counted without the right secret', async () => {
    const { refreshToken, as } = await shop.signIn();
    stubs.records = [];
    expect([
      (await revoke(refreshToken)).status,
      (await revoke('nothing')).status,
      (await revoke('nothing', 'wrong')).status,
    ]).toEqual([200, 200, 401]);
    expect(recorded()).toEqual([
      ['customer.token_revoke', 'app', 'success', 200, undefined, undefined],
      ['customer.token_revoke', 'app', 'success', 200, undefined, undefined],
      ['customer.token_revoke', 'app', 'denied', 401, 'invalid_client', 1],
    ]);
    expect(stubs.records.map(({ record }) => record.targets.map((t) => t.id))).toEqual([
      [shop.app.clientId, as],
      [shop.app.clientId],
      [shop.app.clientId],
    ]);
  });

  test('is counted for an app that is disabled or signs nobody in, and anonymously for an unknown app', async () => {
    const [disabled, service, foreign] = [
      addApp({ disabled: true }),
      addApp({ kind: 'service' }),
      addApp({ org: 'globex' }),
    ];
    const code = 'grant_type=authorization_code&code=x&redirect_uri=https://shop.example/callback&code_verifier=x';
    for (const app of [disabled, service, foreign, { clientId: 'nobody', secret: 'x' }]) {
      expect((await post('/token', app, code)).status).toBe(401);
      expect((await post('/token/revocation', app, 'token=x')).status).toBe(401);
    }
    await fetch(`${stack.base}/o/acme/token`, {
      method: 'POST',
      headers: { authorization: 'Basic %%%', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=authorization_code&code=x',
    });
    const of = (action: string) =>
      stubs.records
        .filter((r) => r.record.action === action)
        .map(({ org, record: { actor, targets, outcome } }) => [org, actor.id, targets.map((t) => t.id), outcome]);
    const denied = (count: number) => ({ result: 'denied', status: 401, code: 'invalid_client', count });
    const named = [disabled, service].map(({ clientId }) => ['acme', clientId, [clientId], denied(1)]);
    expect(of('customer.token_revoke')).toEqual([...named, ['acme', 'anonymous', [], denied(2)]]);
    expect(of('customer.token')).toEqual([
      ...named,
      ['acme', 'anonymous', [], denied(2)],
      ['acme', 'anonymous', [], { result: 'failure', status: 400, code: 'invalid_request', count: 1 }],
    ]);
    stubs.auditUnavailable = true;
    expect((await post('/token', disabled, code)).status).toBe(503);
  });

  test('to a suspended organization is counted in its log; one to an unknown organization is not', async () => {
    await stack.changeDirectory(() => void stubs.suspended.add('hooli'));
    for (const org of ['hooli', 'nobody']) {
      for (const [method, path] of [
        ['POST', '/token'],
        ['GET', '/authorize?client_id=x'],
        ['GET', '/api/sign-in/0123456789abcdef'],
        ['GET', '/jwks'],
        ['OPTIONS', '/token'],
      ]) {
        expect((await fetch(`${stack.base}/o/${org}${path}`, { method: method! })).status).toBe(404);
      }
    }
    expect(
      stubs.records.map(({ org, record: { action, actor, request, outcome } }) => [
        org,
        action,
        actor.id,
        `${request.method} ${request.route}`,
        outcome,
      ]),
    ).toEqual(
      ['POST /o/{shortId}/token', 'GET /o/{shortId}/authorize', 'GET /o/{shortId}/api/sign-in/{uid}'].map((route) => [
        'hooli',
        'request.denied',
        'anonymous',
        route,
        { result: 'denied', status: 404, code: 'unknown_organization', count: 1 },
      ]),
    );
  });

  test('whose response is 500 is counted as a failure', async () => {
    const { tokens } = await shop.signIn();
    stubs.records = [];
    await stack.database.query('ALTER TABLE auth.oidc_state RENAME TO hidden');
    const { status } = await shop.userinfo(tokens.access_token);
    await stack.database.query('ALTER TABLE auth.hidden RENAME TO oidc_state');
    expect(status).toBe(500);
    expect(recorded()).toEqual([['customer.userinfo', 'anonymous', 'failure', 500, 'server_error', 1]]);
  });

  test('gets a 503 without data while audit is unavailable', async () => {
    const { tokens } = await shop.signIn();
    stubs.auditUnavailable = true;
    const read = await shop.userinfo(tokens.access_token);
    expect([read.status, JSON.stringify(read.json).includes('sub')]).toEqual([503, false]);
    const denied = await fetch(`${stack.base}/o/acme/userinfo`, { headers: { authorization: 'Bearer x' } });
    expect([denied.status, denied.headers.get('www-authenticate')]).toEqual([503, null]);
    expect((await revoke('nothing')).status).toBe(503);
  });
});

describe('a change', () => {
  const pending = () => stack.database.query('SELECT FROM auth.record_outbox');

  test('succeeds while audit is unavailable, and is recorded afterwards, once', async () => {
    const browser = new TestBrowser(stack.base);
    const [first, second] = [await shop.signIn({ browser }), await shop.signIn()];
    stubs.records = [];
    stubs.auditUnavailable = true;
    const signedOut = await browser.go(`/o/acme/session/end?id_token_hint=${first.tokens.id_token}`);
    expect([signedOut.status, (await revoke(second.refreshToken)).status]).toEqual([303, 200]);
    expect([(await pending()).length, stubs.records]).toEqual([2, []]);
    stubs.auditUnavailable = false;
    await eventually(async () => (await pending()).length === 0);
    expect(recorded().sort()).toEqual([
      ['customer.sign_out', 'customer', 'success', 303, undefined, undefined],
      ['customer.token_revoke', 'app', 'success', 200, undefined, undefined],
    ]);
    expect((await shop.userinfo(second.tokens.access_token)).status).toBe(401);
  });
});

describe('a request of a browser', () => {
  test('is recorded with address and user agent when it is a customer’s', async () => {
    const browser = new TestBrowser(stack.base);
    const go = browser.go.bind(browser);
    browser.go = (url, init = {}) =>
      go(url, { ...init, headers: { ...(init.headers as Record<string, string>), ...browserHeaders } });
    const { tokens } = await shop.signIn({ browser });
    await browser.go(`/o/acme/session/end?id_token_hint=${tokens.id_token}`);
    const ofCustomer = stubs.records.filter(({ record }) => record.actor.type === 'customer');
    expect(ofCustomer.map(({ record }) => record.action)).toEqual(['customer.sign_in', 'customer.sign_out']);
    const userAgent = browserHeaders['user-agent'].slice(0, 512);
    for (const { record } of ofCustomer) expect(record.request).toMatchObject({ address: '192.0.2.7', userAgent });
    for (const { record } of stubs.records.filter((r) => !ofCustomer.includes(r)))
      expect(Object.keys(record.request)).not.toContain('address');
  });

  test('is counted by kind, without address and user agent, while no passkey has identified a customer', async () => {
    const browser = new TestBrowser(stack.base);
    const page = await browser.begin((await shop.begin()).url);
    for (const _ of [1, 2]) await browser.post(`${page}/complete`, { response: { as: newCustomer() } }, browserHeaders);
    await browser.post(`${page}/complete`, {}, browserHeaders);
    await browser.post(`${page}/cancel`, {}, { origin: 'https://evil.example' });
    expect((await new TestBrowser(stack.base).post(`${page}/options`)).status).toBe(404);
    expect((await new TestBrowser(stack.base).go('/o/acme/authorize?client_id=nobody&response_type=code')).status).toBe(
      400,
    );
    expect((await new TestBrowser(stack.base).go('/o/acme/authorize/unknown-sign-in-0123456789')).status).toBe(400);
    expect((await new TestBrowser(stack.base).form('/o/acme/session/end/confirm', { xsrf: 'x' })).status).toBe(400);
    expect(recorded()).toEqual([
      ['customer.sign_in', 'anonymous', 'failure', 409, 'ceremony_expired', 2],
      ['customer.sign_in', 'anonymous', 'failure', 422, 'invalid_request', 1],
      ['customer.sign_in', 'anonymous', 'denied', 403, 'cross_site_request', 1],
      ['customer.sign_in', 'anonymous', 'denied', 404, 'unknown_sign_in', 1],
      ['customer.sign_in', 'anonymous', 'denied', 400, 'invalid_client', 1],
      ['customer.sign_in', 'anonymous', 'failure', 400, 'invalid_request', 1],
      ['customer.sign_out', 'anonymous', 'failure', 400, 'invalid_request', 1],
    ]);
    for (const { record } of stubs.records)
      expect([record.request.address, record.request.userAgent, record.targets]).toEqual([undefined, undefined, []]);
  });

  test('for metadata, keys or pages is not recorded', async () => {
    for (const path of ['/.well-known/openid-configuration', '/jwks', '/session/end/success'])
      await fetch(`${stack.base}/o/acme${path}`);
    expect(stubs.records).toEqual([]);
  });
});
