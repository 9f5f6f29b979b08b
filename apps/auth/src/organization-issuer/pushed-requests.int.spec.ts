import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as oidc from 'openid-client';
import { addApp, basicAuthorization, type TestApp } from '../auth-stack.fixture.js';
import { clientAssertion, newClientKey, withAssertion } from '../client-key.fixture.js';
import { RelyingParty, startRelyingParties, type RelyingParties } from '../relying-party.fixture.js';
import { newCustomer, stubs } from '../service-stubs.fixture.js';
import { stateLimitsSchema } from '../state-limits.js';
import { TestBrowser } from '../test-browser.fixture.js';

let { stack, shop, spa } = {} as RelyingParties<'shop' | 'spa'>;
let issuer: string;
beforeAll(async () => {
  const limits = stateLimitsSchema.parse('PublicAuthorizationRequest=3');
  ({ stack, shop, spa } = await startRelyingParties({ shop: {}, spa: { kind: 'spa' } }, { STATE_LIMITS: limits }));
  issuer = `${stack.base}/o/acme`;
});
afterAll(() => stack.stop());
beforeEach(() => {
  stubs.records = [];
});

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const valid = ({ clientId, redirectUri }: TestApp) => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: redirectUri,
  scope: 'openid',
  state: 'the state',
  nonce: 'the nonce',
  code_challenge: challenge,
  code_challenge_method: 'S256',
});

/** Pushes an authorization request, valid but for the changes. */
async function push(
  { app }: Pick<RelyingParty, 'app'>,
  changes: Record<string, string | undefined> = {},
  headers: Record<string, string> = app.app.kind === 'web' ? { authorization: basicAuthorization(app) } : {},
) {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...valid(app), ...changes }))
    if (value !== undefined) form.set(name, value);
  const response = await fetch(`${issuer}/par`, { method: 'POST', body: form, headers });
  return {
    status: response.status,
    json: (await response.json()) as Record<string, string>,
    headers: response.headers,
  };
}
const pushed = async (party: RelyingParty, changes: Record<string, string | undefined> = {}) =>
  (await push(party, changes)).json.request_uri!;
const authorizeUrl = (clientId: string, requestUri: string, more: Record<string, string> = {}) =>
  `${issuer}/authorize?${new URLSearchParams({ client_id: clientId, request_uri: requestUri, ...more })}`;
const rows = async () =>
  (
    await stack.database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM auth.oidc_state WHERE model LIKE '%AuthorizationRequest'`,
    )
  )[0]!.n;
const recorded = () =>
  stubs.records.map(({ record: { action, actor, outcome } }) => [action, actor.type, outcome.result, outcome.code]);

describe('a pushed authorization request', () => {
  test('signs a customer in by a standard client, and the metadata names its endpoint', async () => {
    expect(shop.config.serverMetadata().pushed_authorization_request_endpoint).toBe(`${issuer}/par`);
    const as = newCustomer('acme');
    const { client_id: _, ...parameters } = valid(shop.app);
    const url = await oidc.buildAuthorizationUrlWithPAR(shop.config, parameters);
    expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
    const location = await new TestBrowser(stack.base).signIn(url.href, as);
    const tokens = await oidc.authorizationCodeGrant(shop.config, new URL(location), {
      pkceCodeVerifier: verifier,
      expectedNonce: 'the nonce',
      expectedState: 'the state',
    });
    expect(tokens.claims()!.sub).toBe(as);
  });

  test('is answered with 201 and a reference for a minute, is not cached, and is recorded', async () => {
    const { status, json, headers } = await push(shop);
    expect([status, json]).toEqual([
      201,
      { request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[\w-]{43}$/), expires_in: 60 },
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(stubs.records).toMatchObject([
      {
        record: {
          action: 'customer.sign_in_request',
          actor: { type: 'app', id: shop.app.clientId },
          outcome: { result: 'success', status: 201 },
          targets: [{ type: 'app', id: shop.app.clientId }],
        },
      },
    ]);
  });

  test('is used by one of many authorization requests, and nothing of it remains', async () => {
    const before = await rows();
    const url = authorizeUrl(shop.app.clientId, await pushed(shop));
    expect(await rows()).toBe(before + 1);
    const all = await Promise.all(Array.from({ length: 10 }, () => new TestBrowser(stack.base).go(url)));
    expect(all.filter(({ location }) => location.includes('/sign-in/'))).toHaveLength(1);
    // 503 on a machine that has no room for ten at once.
    const refused = all.filter(({ status, text }) => status === 503 || text.includes('invalid_request_uri'));
    expect(refused).toHaveLength(9);
    expect(await rows()).toBe(before);
  });

  test('is of no use to another client, which does not use it up', async () => {
    const other = await RelyingParty.start(stack);
    const requestUri = await pushed(shop);
    const { status, text } = await new TestBrowser(stack.base).go(authorizeUrl(other.app.clientId, requestUri));
    expect([status, text.includes('invalid_request_uri')]).toEqual([400, true]);
    const { location } = await new TestBrowser(stack.base).go(authorizeUrl(shop.app.clientId, requestUri));
    expect(location).toContain('/sign-in/');
  });

  test('counts alone: parameters beside its reference have no effect', async () => {
    const browser = new TestBrowser(stack.base);
    await shop.signIn({ browser });
    const more = { redirect_uri: 'https://evil.example/', state: 'x', prompt: 'login', response_mode: 'form_post' };
    const { status, location } = await browser.go(authorizeUrl(shop.app.clientId, await pushed(shop), more));
    expect(status).toBe(303);
    const { origin, searchParams } = new URL(location);
    expect([origin, searchParams.get('state'), searchParams.has('code')]).toEqual([
      'https://shop.example',
      'the state',
      true,
    ]);
  });

  test('expires after a minute, like one that never was', async () => {
    const requestUri = await pushed(shop);
    await stack.expire('PushedAuthorizationRequest');
    const unknown = `urn:ietf:params:oauth:request_uri:${'x'.repeat(43)}`;
    for (const uri of [requestUri, unknown, 'urn:ietf:params:oauth:request_uri:'])
      expect((await new TestBrowser(stack.base).go(authorizeUrl(shop.app.clientId, uri))).text).toContain(
        'invalid_request_uri',
      );
  });

  test('is stored encrypted', async () => {
    const before = await rows();
    await pushed(shop, { login_hint: 'somebody@customer.example' });
    expect(await rows()).toBe(before + 1);
    const stored = await stack.database.query<{ payload: Buffer }>(
      `SELECT payload FROM auth.oidc_state WHERE model = 'PushedAuthorizationRequest'`,
    );
    for (const { payload } of stored) {
      expect(payload.toString('latin1')).not.toContain('somebody');
      expect(payload.toString('latin1')).not.toContain(Buffer.from('somebody@').toString('base64url').slice(0, 10));
    }
  });
});

describe('the endpoint refuses', () => {
  test.each<[string, Record<string, string | undefined>, string]>([
    ['an unregistered redirect URI', { redirect_uri: 'https://evil.example/' }, 'invalid_request'],
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['another scope alone', { scope: 'email', nonce: undefined }, 'invalid_scope'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['the fragment', { response_mode: 'fragment' }, 'unsupported_response_mode'],
    ['a reference', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 'request_uri_not_supported'],
    ['a request object', { request: 'eyJ' }, 'request_not_supported'],
    ['another audience', { resource: 'https://api.example' }, 'invalid_target'],
    ['a long state', { state: 'x'.repeat(2049) }, 'invalid_request'],
    ['another client than the one that authenticates', { client_id: 'app_other' }, 'invalid_request'],
  ])('%s with 400, and records it', async (_, changes, error) => {
    const before = await rows();
    expect(await push(shop, changes)).toMatchObject({ status: 400, json: { error } });
    expect(await rows()).toBe(before);
    expect(recorded().map(([action]) => action)).toEqual(['customer.sign_in_request']);
  });

  test('a confidential client without its secret or key, and counts it', async () => {
    const wrong = { authorization: basicAuthorization({ ...shop.app, secret: 'wrong' }) };
    for (const headers of [wrong, {}])
      expect(await push(shop, {}, headers)).toMatchObject({ status: 401, json: { error: 'invalid_client' } });
    const key = await newClientKey();
    const byKey = addApp({ tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [key.publicJwk] } });
    const assertion = await clientAssertion(key, byKey.clientId, issuer);
    expect((await push({ app: byKey }, withAssertion(assertion), {})).status).toBe(201);
    expect((await push({ app: byKey }, withAssertion(assertion), {})).status).toBe(401);
    expect(stubs.records.filter(({ record }) => record.outcome.result === 'denied')).toMatchObject([
      { record: { action: 'customer.sign_in_request', outcome: { status: 401, code: 'invalid_client' } } },
      { record: { action: 'customer.sign_in_request', outcome: { status: 401, code: 'invalid_client' } } },
    ]);
  });

  test('a form of more than 8,192 bytes', async () => {
    expect((await push(shop, { login_hint: 'x'.repeat(9000) })).status).toBe(413);
  });
});

describe('a public client', () => {
  test('pushes by its client id, which is not recorded, and needs PKCE', async () => {
    const requestUri = await pushed(spa);
    expect(stubs.records).toEqual([]);
    const { location } = await new TestBrowser(stack.base).go(authorizeUrl(spa.app.clientId, requestUri));
    expect(location).toContain('/sign-in/');
    const empty = { authorization: basicAuthorization({ ...spa.app, secret: '' }) };
    expect((await push(spa, { client_id: undefined }, empty)).status).toBe(201);
    await stack.database.query(`DELETE FROM auth.oidc_state WHERE model = 'PublicAuthorizationRequest'`);
  });

  test('takes no room from the others', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 30 && statuses.at(-1) !== 503; i += 1) statuses.push((await push(spa)).status);
    expect(statuses.at(-1)).toBe(503);
    expect((await push(shop)).status).toBe(201);
  });
});
