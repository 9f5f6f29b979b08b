import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import * as oidc from 'openid-client';
import { addApp, basicAuthorization, type TestApp } from '../auth-stack.fixture.js';
import { newClientKey } from '../client-key.fixture.js';
import { startRelyingParties, type RelyingParties, type RelyingParty } from '../relying-party.fixture.js';
import { stubs } from '../service-stubs.fixture.js';

let { stack, shop, api, app } = {} as RelyingParties<'shop' | 'api' | 'app'>;
let issuer: string;
beforeAll(async () => {
  ({ stack, shop, api, app } = await startRelyingParties({
    shop: {},
    api: { accessTokenFormat: 'jwt' },
    app: { kind: 'spa' },
  }));
  issuer = `${stack.base}/o/acme`;
});
afterAll(() => stack.stop());
beforeEach(() => {
  stubs.records = [];
});

async function post(path: string, parameters: Record<string, string>, client?: Pick<TestApp, 'clientId' | 'secret'>) {
  const response = await fetch(issuer + path, {
    method: 'POST',
    body: new URLSearchParams(parameters),
    headers: client ? { authorization: basicAuthorization(client) } : {},
  });
  const text = await response.text();
  return { status: response.status, json: (text ? JSON.parse(text) : {}) as Record<string, unknown> };
}
const introspect = (token: string, client: Pick<TestApp, 'clientId' | 'secret'> = shop.app) =>
  post('/token/introspection', { token }, client);
const inactive = { status: 200, json: { active: false } };

describe('at_hash', () => {
  test.each<[string, () => RelyingParty]>([
    ['an opaque access token', () => shop],
    ['a JWT', () => api],
  ])('of an ID token is the hash of %s beside it, after a refresh too', async (_, party) => {
    const { tokens, refreshToken } = await party().signIn();
    const refreshed = await party().refresh(refreshToken);
    for (const { id_token: idToken, access_token: accessToken } of [tokens, refreshed.json]) {
      const expected = createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');
      expect(decodeJwt(idToken!).at_hash).toBe(expected);
    }
    expect(decodeJwt(tokens.id_token!).at_hash).not.toBe(decodeJwt(refreshed.json.id_token!).at_hash);
  });
});

describe('introspection', () => {
  test('tells a confidential app that its tokens are active, by a standard client, and is recorded', async () => {
    const { tokens, as } = await shop.signIn();
    stubs.records = [];
    const found = await oidc.tokenIntrospection(shop.config, tokens.access_token);
    expect(found).toEqual({
      active: true,
      sub: as,
      client_id: shop.app.clientId,
      iss: issuer,
      scope: 'openid',
      token_type: 'Bearer',
      iat: expect.any(Number),
      exp: expect.any(Number),
      sid: expect.any(String),
    });
    expect((await introspect(tokens.refresh_token!)).json).toMatchObject({ active: true, sub: as });
    expect(stubs.records[0]!.record).toMatchObject({
      action: 'customer.token_introspect',
      actor: { type: 'app', id: shop.app.clientId },
      outcome: { result: 'success', status: 200 },
      targets: [{ type: 'app' }, { type: 'customer', id: as }, { type: 'credential' }],
    });
  });

  test('shows no token of another app, and nothing unknown, revoked or expired', async () => {
    const { tokens } = await shop.signIn();
    const other = addApp();
    for (const token of [tokens.access_token, tokens.refresh_token!])
      expect(await introspect(token, other)).toEqual(inactive);
    for (const token of ['nothing', tokens.id_token!, 'a.b.c', 'jwt.x'])
      expect(await introspect(token)).toEqual(inactive);
    await post('/token/revocation', { token: tokens.access_token }, shop.app);
    expect(await introspect(tokens.access_token)).toEqual(inactive);
    const second = await shop.signIn();
    await stack.expire('AccessToken');
    expect(await introspect(second.tokens.access_token)).toEqual(inactive);
    expect(stubs.records.filter(({ record }) => record.action === 'customer.token_introspect')).toHaveLength(8);
  });

  test('shows no token of a customer without a live credential, who is not named in the record', async () => {
    const { tokens, as } = await shop.signIn();
    stubs.customers.get(as)!.state = 'unknown';
    stubs.records = [];
    expect(await introspect(tokens.access_token)).toEqual(inactive);
    expect(JSON.stringify(stubs.records)).not.toContain(as);
    stubs.customers.get(as)!.state = 'live';
    await stack.without('issuance', async () => {
      expect((await introspect(tokens.access_token)).status).toBe(503);
    });
  });

  test('needs authentication: a wrong secret, a public app and nobody are counted and get 401', async () => {
    const { tokens } = await app.signIn();
    stubs.records = [];
    expect((await introspect(tokens.access_token, { ...shop.app, secret: 'wrong' })).status).toBe(401);
    const asPublic = { token: tokens.access_token, client_id: app.app.clientId };
    expect((await post('/token/introspection', asPublic)).status).toBe(401);
    expect((await post('/token/introspection', { token: 'x' })).status).toBe(401);
    expect(stubs.records.map(({ record }) => [record.outcome.code, record.outcome.count])).toEqual([
      ['invalid_client', 1],
      ['invalid_client', 1],
      ['invalid_client', 1],
    ]);
  });
});

describe('an access token of an app with the format jwt', () => {
  test('can be verified by its API with the published keys (RFC 9068)', async () => {
    const { tokens, as } = await api.signIn();
    const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
    const { payload } = await jwtVerify(tokens.access_token, keys, {
      issuer,
      audience: api.app.clientId,
      typ: 'at+jwt',
      algorithms: ['RS256'],
    });
    expect(payload).toMatchObject({ sub: as, client_id: api.app.clientId, scope: 'openid', jti: expect.any(String) });
    expect(payload.exp! - payload.iat!).toBe(600);
    expect(Object.keys(payload)).not.toContain('credential');
    expect(tokens.token_type.toLowerCase()).toBe('bearer');
  });

  test('works for userinfo and introspection like an opaque one, and is revoked like one', async () => {
    const { tokens, as } = await api.signIn();
    const token = tokens.access_token;
    expect((await api.userinfo(token)).json).toMatchObject({ sub: as });
    expect((await introspect(token, api.app)).json).toMatchObject({
      active: true,
      jti: decodeJwt(token).jti,
      aud: api.app.clientId,
    });
    expect(await introspect(token)).toEqual(inactive);
    expect((await post('/token/revocation', { token }, api.app)).status).toBe(200);
    expect((await api.userinfo(token)).status).toBe(401);
    expect(await introspect(token, api.app)).toEqual(inactive);
  });

  test('is no longer accepted at userinfo when its customer signs out or loses the credential', async () => {
    const { tokens, as } = await api.signIn();
    stubs.customers.get(as)!.state = 'not_live';
    expect((await api.userinfo(tokens.access_token)).status).toBe(401);
  });

  test('is not accepted by its jti, with another signature, or in another form', async () => {
    const { tokens } = await api.signIn();
    const token = tokens.access_token;
    const { jti } = decodeJwt(token);
    const foreign = await newClientKey('RS256');
    const forged = await new SignJWT(decodeJwt(token))
      .setProtectedHeader({ ...decodeProtectedHeader(token), alg: 'RS256' })
      .sign(foreign.key);
    const [header, payload, signature] = token.split('.');
    const unsigned = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${payload}.`;
    const changed = `${header}.${payload}.${signature!.slice(0, -4)}AAAA`;
    for (const wrong of [jti!, `jwt.${jti}`, `JWT.jwt.${jti}`, forged, unsigned, changed, tokens.id_token!]) {
      expect((await api.userinfo(wrong)).status).toBe(401);
      expect(await introspect(wrong, api.app)).toEqual(inactive);
    }
  });

  test('is no ID token hint: the sign-out with it asks for confirmation or refuses', async () => {
    const { tokens, browser } = await api.signIn();
    const { status } = await browser.go(`/o/acme/session/end?id_token_hint=${tokens.access_token}`);
    expect(status).toBe(400);
  });
});
