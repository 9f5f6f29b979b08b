import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as oidc from 'openid-client';
import { RelyingParty, startRelyingParties, type RelyingParties } from '../relying-party.fixture.js';
import { credentialOf, newCustomer, stubs } from '../service-stubs.fixture.js';
import { TestBrowser } from '../test-browser.fixture.js';

let { stack, shop } = {} as RelyingParties<'shop'>;

beforeAll(async () => {
  ({ stack, shop } = await startRelyingParties({ shop: {} }));
});
afterAll(() => stack.stop());
beforeEach(() => {
  stubs.records = [];
  stubs.auditUnavailable = false;
});

describe('a complete sign-in', () => {
  test('with a standard client returns the documented claims in ID token and userinfo', async () => {
    const subject = newCustomer();
    const client = shop.config;
    const { url, checks } = await shop.begin();
    const back = await new TestBrowser(stack.base).signIn(url, subject);
    expect(new URL(back).searchParams.get('iss')).toBe(`${stack.base}/o/acme`);
    const tokens = await oidc.authorizationCodeGrant(client, new URL(back), checks);
    expect(tokens.claims()).toMatchObject({
      iss: `${stack.base}/o/acme`,
      aud: shop.app.clientId,
      sub: subject,
      credential: credentialOf(subject),
      amr: ['pop', 'hwk', 'user'],
      acr: 'urn:holdfast:acr:passkey',
      auth_time: expect.any(Number),
      sid: expect.any(String),
    });
    expect(Object.keys(tokens.claims()!).sort()).toEqual([
      'acr',
      'amr',
      'at_hash',
      'aud',
      'auth_time',
      'credential',
      'exp',
      'iat',
      'iss',
      'nonce',
      'sid',
      'sub',
    ]);
    expect(tokens).toMatchObject({ expires_in: 600, token_type: 'bearer', refresh_token: expect.any(String) });
    expect(await oidc.fetchUserInfo(client, tokens.access_token, subject)).toEqual({
      sub: subject,
      credential: credentialOf(subject),
      amr: ['pop', 'hwk', 'user'],
      acr: 'urn:holdfast:acr:passkey',
    });
    const refreshed = await oidc.refreshTokenGrant(client, tokens.refresh_token!);
    expect(refreshed.claims()).toMatchObject({
      sub: subject,
      credential: credentialOf(subject),
      amr: ['pop', 'hwk', 'user'],
      acr: 'urn:holdfast:acr:passkey',
    });
    const { json } = await new TestBrowser(stack.base).go('/o/acme/userinfo', {
      headers: { authorization: `Bearer ${refreshed.access_token}` },
    });
    expect(json).toEqual({
      sub: subject,
      credential: credentialOf(subject),
      amr: ['pop', 'hwk', 'user'],
      acr: 'urn:holdfast:acr:passkey',
    });
    stubs.records.pop();
    expect(
      stubs.records.map(({ org, record: { action, actor, outcome } }) => [org, action, actor.type, outcome.result]),
    ).toEqual([
      ['acme', 'customer.sign_in', 'customer', 'success'],
      ['acme', 'customer.token', 'app', 'success'],
      ['acme', 'customer.userinfo', 'app', 'success'],
      ['acme', 'customer.token', 'app', 'success'],
    ]);
    for (const { record } of stubs.records.slice(1))
      expect(record.targets).toEqual([
        { type: 'app', id: shop.app.clientId },
        { type: 'customer', id: subject, dataSubject: subject },
        { type: 'credential', id: credentialOf(subject).id, dataSubject: subject },
      ]);
  });

  test('begins with the same metadata at both addresses', async () => {
    const browser = new TestBrowser(stack.base);
    const { json } = await browser.go('/o/acme/.well-known/openid-configuration');
    expect((await browser.go('/.well-known/oauth-authorization-server/o/acme')).json).toEqual(json);
    const issuer = `${stack.base}/o/acme`;
    expect(json).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      end_session_endpoint: `${issuer}/session/end`,
      revocation_endpoint: `${issuer}/token/revocation`,
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'form_post'],
      subject_types_supported: ['public'],
      scopes_supported: ['openid'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
      code_challenge_methods_supported: ['S256'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      device_authorization_endpoint: `${issuer}/device_authorization`,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
      acr_values_supported: ['urn:holdfast:acr:passkey'],
      authorization_response_iss_parameter_supported: true,
    });
    expect(json).toMatchObject({
      claims_supported: ['sub', 'credential', 'acr', 'amr', 'auth_time', 'sid', 'iss'],
      pushed_authorization_request_endpoint: `${issuer}/par`,
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    });
    const { token_endpoint_auth_methods_supported: methods } = json;
    const { token_endpoint_auth_signing_alg_values_supported: algorithms } = json;
    expect(json.revocation_endpoint_auth_methods_supported).toEqual(methods);
    for (const endpoint of ['revocation', 'introspection'])
      expect(json[`${endpoint}_endpoint_auth_signing_alg_values_supported`]).toEqual(algorithms);
    for (const path of [
      '/o/nobody/.well-known/openid-configuration',
      '/o/nobody/authorize',
      '/o/ACME/jwks',
      '/o/..%2facme/jwks',
    ]) {
      expect((await browser.go(path)).headers.get('x-holdfast-error')).toBe('unknown_organization');
    }
  });

  test('succeeds for an app with ES256, and for public apps', async () => {
    for (const changes of [{ idTokenAlg: 'ES256' as const }, { kind: 'spa' as const }, { kind: 'native' as const }]) {
      const party = await RelyingParty.start(stack, changes);
      const { as, claims } = await party.signIn();
      expect(claims.sub).toBe(as);
    }
  });

  test('with form_post returns a page whose policy allows its script', async () => {
    const { url } = await shop.begin({ response_mode: 'form_post' });
    const browser = new TestBrowser(stack.base);
    const page = await browser.begin(url);
    await browser.post(`${page}/options`);
    const { json } = await browser.post(`${page}/complete`, { response: { as: newCustomer() } });
    const { status, text, headers } = await browser.go(json.redirectTo as string);
    expect(status).toBe(200);
    expect(text).toContain('action="https://shop.example/callback"');
    expect(text).toMatch(/name="iss"/);
    expect(headers.get('content-security-policy')).toMatch(/script-src 'self' 'sha256-/);
    expect(headers.get('content-security-policy')).not.toContain('form-action');
  });
});

describe('the sign-in page', () => {
  test('shows organization and app to the browser that began the sign-in, and to no other', async () => {
    const browser = new TestBrowser(stack.base);
    const page = await browser.begin((await shop.begin()).url);
    expect((await browser.go(page)).json).toEqual({
      organization: { shortId: 'acme', name: 'Acme & Sons' },
      app: { name: 'Shop', uri: 'https://shop.example/bye' },
      audience: 'customers',
    });
    const other = new TestBrowser(stack.base);
    await other.begin((await shop.begin()).url);
    for (const step of ['', '/options', '/complete', '/cancel']) {
      const { status, json } = step
        ? await other.post(page + step, step === '/complete' ? { response: {} } : {})
        : await other.go(page);
      expect([status, json.error]).toEqual([404, 'unknown_sign_in']);
    }
  });

  test('remains usable after a refused passkey, and in two tabs', async () => {
    const browser = new TestBrowser(stack.base);
    const [first, second] = [
      await browser.begin((await shop.begin()).url),
      await browser.begin((await shop.begin()).url),
    ];
    for (const [as, refused] of [
      [randomUUID(), 'unknown_passkey'],
      [newCustomer('globex'), 'other_organization'],
    ]) {
      await browser.post(`${first}/options`);
      expect((await browser.post(`${first}/complete`, { response: { as } })).json).toEqual({ refused });
    }
    for (const page of [second, first]) {
      await browser.post(`${page}/options`);
      const { json } = await browser.post(`${page}/complete`, { response: { as: newCustomer() } });
      expect(json.redirectTo).toContain('/o/acme/authorize/');
    }
  });

  test('redirects with access_denied without a live credential, and with login_required after cancelling', async () => {
    const subject = newCustomer();
    stubs.customers.get(subject)!.state = 'not_live';
    for (const [end, error] of [
      ['complete', 'access_denied'],
      ['cancel', 'login_required'],
    ]) {
      const browser = new TestBrowser(stack.base);
      const { url, checks } = await shop.begin();
      const page = await browser.begin(url);
      await browser.post(`${page}/options`);
      const { json } = await browser.post(`${page}/${end}`, end === 'complete' ? { response: { as: subject } } : {});
      const { location } = await browser.go(json.redirectTo as string);
      expect(Object.fromEntries(new URL(location).searchParams)).toMatchObject({
        error,
        iss: `${stack.base}/o/acme`,
        state: checks.expectedState,
      });
    }
    expect(stubs.records.map(({ record: { action, actor, outcome } }) => [action, actor.id, outcome.code])).toEqual([
      ['customer.sign_in', subject, 'no_live_credential'],
      ['customer.sign_in', 'anonymous', 'cancelled'],
    ]);
  });

  test('redirects with access_denied when the customer cancels after an unknown passkey', async () => {
    const browser = new TestBrowser(stack.base);
    const page = await browser.begin((await shop.begin()).url);
    await browser.post(`${page}/options`);
    await browser.post(`${page}/complete`, { response: { as: randomUUID() } });
    const { json } = await browser.post(`${page}/cancel`, {});
    expect(new URL((await browser.go(json.redirectTo as string)).location).searchParams.get('error')).toBe(
      'access_denied',
    );
  });

  test('rejects a body with a repeated member, and the sign-in can still be completed', async () => {
    const browser = new TestBrowser(stack.base);
    const page = await browser.begin((await shop.begin()).url);
    const as = newCustomer();
    const send = (step: string, body: string) =>
      browser.go(`${page}/${step}`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', accept: 'application/json', origin: stack.base },
      });
    await browser.post(`${page}/options`);
    const valid = JSON.stringify({ as });
    const repeated = [
      `{"response":{"as":"x"},"response":${valid}}`,
      `{"response":${valid},"resp\\u006fnse":${valid}}`,
      `{"response":{"as":"x","as":"${as}"}}`,
      `{"__proto__":{"response":${valid}}}`,
      `{"response":{"__proto__":${valid}}}`,
    ];
    for (const body of [...repeated, '', '[]', 'null', `${'['.repeat(9000)}${']'.repeat(9000)}`])
      expect([400, 422]).toContain((await send('complete', body)).status);
    for (const body of ['{"a":1,"a":2}', '['])
      for (const step of ['options', 'cancel']) expect((await send(step, body)).status).toBe(400);
    expect((await browser.post(`${page}/complete`, { response: { as } })).json.redirectTo).toContain(
      '/o/acme/authorize/',
    );
  });

  test('rejects requests from other sites, invalid bodies, and a second completion', async () => {
    const browser = new TestBrowser(stack.base);
    const page = await browser.begin((await shop.begin()).url);
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[]) {
      expect((await browser.post(`${page}/cancel`, {}, headers)).json.error).toBe('cross_site_request');
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
      expect((await browser.post(`${page}/cancel`, {}, { 'content-type': type })).status).toBe(415);
    for (const body of [{}, { response: 'x' }, { response: null }, { response: {}, more: 1 }])
      expect((await browser.post(`${page}/complete`, body)).status).toBe(422);
    expect((await browser.post(`${page}/complete`, { response: { as: newCustomer() } })).json.error).toBe(
      'ceremony_expired',
    );
    expect((await browser.go(`${page}/cancel`)).status).toBe(405);
    await browser.post(`${page}/options`);
    const as = newCustomer();
    const both = await Promise.all([
      browser.post(`${page}/complete`, { response: { as } }),
      browser.post(`${page}/complete`, { response: { as } }),
    ]);
    expect(both.filter((b) => b.json.redirectTo)).toHaveLength(1);
    expect((await browser.post(`${page}/options`)).status).toBe(404);
  });
});

describe('an RP ID of the organization', () => {
  afterAll(() => stack.changeDirectory(() => stubs.relyingParties.clear()));

  test('applies to the next step of a sign-in in progress', async () => {
    const browser = new TestBrowser(stack.base);
    const page = await browser.begin((await shop.begin()).url);
    expect([(await browser.go(page)).json, (await browser.post(`${page}/options`)).json]).toEqual([
      expect.not.objectContaining({ earlierPasskeys: true }),
      { options: { challenge: 'abc' } },
    ]);

    await stack.changeDirectory(() => void stubs.relyingParties.set('acme', { rpId: 'acme.example', earlier: {} }));
    expect((await browser.go(page)).json).toMatchObject({ earlierPasskeys: true });
    expect((await browser.post(`${page}/options`)).json).toEqual({
      options: { challenge: 'abc', rpId: 'acme.example' },
      earlierRpId: 'own.example',
    });
    const done = await browser.post(`${page}/complete`, { response: { as: newCustomer() } });
    expect([done.status, stubs.lastRelyingParty]).toEqual([200, { rpId: 'acme.example', earlier: {} }]);

    await stack.changeDirectory(() => void stubs.relyingParties.set('acme', { rpId: 'acme.example' }));
    const next = await browser.begin((await shop.begin({ prompt: 'login' })).url);
    expect((await browser.go(next)).json).not.toHaveProperty('earlierPasskeys');
    expect((await browser.post(`${next}/options`)).json).toEqual({
      options: { challenge: 'abc', rpId: 'acme.example' },
    });
  });
});
