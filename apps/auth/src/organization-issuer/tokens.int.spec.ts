import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { leastCpuMs } from '@holdfast/testing';
import { basicAuthorization } from '../auth-stack.fixture.js';
import { rawStatus } from '../raw-request.fixture.js';
import { RelyingParty, startRelyingParties, type RelyingParties } from '../relying-party.fixture.js';
import { newCustomer, stubs } from '../service-stubs.fixture.js';

let { stack, shop, kiosk, spa } = {} as RelyingParties<'shop' | 'kiosk' | 'spa'>;

beforeAll(async () => {
  ({ stack, shop, kiosk, spa } = await startRelyingParties({
    shop: {},
    kiosk: { name: 'Kiosk', refreshTokens: false },
    spa: { kind: 'spa' },
  }));
});
afterAll(() => stack.stop());
beforeEach(() => {
  stubs.records = [];
  stubs.auditUnavailable = false;
});

describe('a code', () => {
  test('is accepted once, and a second use revokes the tokens of the first', async () => {
    const { code, verifier } = await shop.code();
    const first = await shop.exchange({ code, code_verifier: verifier });
    expect(first.status).toBe(200);
    expect((await shop.userinfo(first.json.access_token!)).status).toBe(200);
    expect(await shop.exchange({ code, code_verifier: verifier })).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    });
    expect((await shop.userinfo(first.json.access_token!)).status).toBe(401);
    expect((await shop.refresh(first.json.refresh_token!)).json.error).toBe('invalid_grant');
  });

  test.each([
    ['another client', () => kiosk, {}, 'invalid_grant'],
    ['a public client', () => spa, {}, 'invalid_grant'],
    ['another verifier', () => shop, { code_verifier: 'a'.repeat(43) }, 'invalid_grant'],
    ['no verifier', () => shop, { code_verifier: undefined }, 'invalid_grant'],
    ['another redirect URI', () => shop, { redirect_uri: 'https://shop.example/other' }, 'invalid_grant'],
    ['no redirect URI', () => shop, { redirect_uri: undefined }, 'invalid_request'],
  ] as const)('with %s is denied, and its client can still use it', async (_, by, more, error) => {
    const { code, verifier } = await shop.code();
    expect((await by().exchange({ code, code_verifier: verifier, ...more })).json.error).toBe(error);
    expect((await shop.exchange({ code, code_verifier: verifier })).status).toBe(200);
  });

  test('of one organization is denied at another, like its tokens', async () => {
    const other = await RelyingParty.start(stack, { org: 'globex' });
    const { code, verifier } = await shop.code();
    expect((await other.exchange({ code, code_verifier: verifier })).json.error).toBe('invalid_grant');
    expect((await shop.exchange({ code, code_verifier: verifier }, '/o/globex/token')).json.error).toBe(
      'invalid_client',
    );
    const { tokens, refreshToken } = await shop.signIn();
    expect((await shop.userinfo(tokens.access_token, 'globex')).status).toBe(401);
    expect((await other.refresh(refreshToken)).json.error).toBe('invalid_grant');
  });

  test('that was issued without PKCE is denied with a verifier', async () => {
    const party = await RelyingParty.start(stack, { pkce: 'optional' });
    const { code, verifier } = await party.code({
      more: { code_challenge: undefined, code_challenge_method: undefined },
    });
    expect((await party.exchange({ code, code_verifier: verifier })).json.error).toBe('invalid_grant');
    expect((await party.exchange({ code })).status).toBe(200);
  });

  test('for another audience is refused, and its client can still use code and refresh token', async () => {
    const { code, verifier } = await shop.code();
    const resource = 'https://api.example';
    const refused = { status: 400, json: { error: 'invalid_target' } };
    expect(await shop.exchange({ code, code_verifier: verifier, resource })).toMatchObject(refused);
    const { json } = await shop.exchange({ code, code_verifier: verifier });
    expect(await shop.refresh(json.refresh_token!, { resource })).toMatchObject(refused);
    expect((await shop.refresh(json.refresh_token!)).status).toBe(200);
  });

  test('that has expired is denied', async () => {
    const { code, verifier } = await shop.code();
    await stack.expire('AuthorizationCode');
    expect((await shop.exchange({ code, code_verifier: verifier })).json.error).toBe('invalid_grant');
  });

  test('expires after a minute', async () => {
    const { code, verifier } = await shop.code();
    const [row] = await stack.database.query<{ seconds: number }>(
      `SELECT extract(epoch FROM expires_at - now())::float AS seconds FROM auth.oidc_state
       WHERE model = 'AuthorizationCode' ORDER BY expires_at DESC LIMIT 1`,
    );
    expect(Math.round(row!.seconds)).toBeLessThanOrEqual(60);
    expect(verifier).toBeTruthy();
    expect(code).toMatch(/^[\w-]{43}$/);
  });

  test('of fifty concurrent requests is accepted once', async () => {
    const { code, verifier } = await shop.code();
    const all = await Promise.all(Array.from({ length: 50 }, () => shop.exchange({ code, code_verifier: verifier })));
    const accepted = all.filter((a) => a.status === 200);
    expect(accepted).toHaveLength(1);
    expect(all.filter((a) => a.json.error === 'invalid_grant')).toHaveLength(49);
    expect((await shop.userinfo(accepted[0]!.json.access_token!)).status).toBe(401);
  });
});

describe('client authentication', () => {
  const token = (headers: Record<string, string>, body: Record<string, string>) =>
    fetch(`${stack.base}/o/acme/token`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: 'x',
        redirect_uri: 'x',
        code_verifier: 'a'.repeat(43),
        ...body,
      }),
    }).then(async (r) => ({ status: r.status, ...((await r.json()) as { error: string }) }));

  test('requires a secret of a web app, in header or body, and none of a public app', async () => {
    const { clientId, secret } = shop.app;
    const basic = (s: string) => ({ authorization: basicAuthorization({ clientId, secret: s }) });
    const authenticated = { status: 400, error: 'invalid_grant' };
    const denied = { status: 401, error: 'invalid_client' };
    expect(await token(basic(secret), {})).toMatchObject(authenticated);
    expect(await token({}, { client_id: clientId, client_secret: secret })).toMatchObject(authenticated);
    expect(await token(basic('wrong'), {})).toMatchObject(denied);
    expect(await token({}, { client_id: clientId, client_secret: 'wrong' })).toMatchObject(denied);
    expect(await token({}, { client_id: clientId })).toMatchObject(denied);
    expect(await token({}, { client_id: `app_${'x'.repeat(22)}` })).toMatchObject(denied);
    expect(await token(basic(secret), { client_secret: secret })).toMatchObject({
      status: 400,
      error: 'invalid_request',
    });
    expect(await token({}, { client_id: spa.app.clientId })).toMatchObject(authenticated);
    expect(await token({}, { client_id: spa.app.clientId, client_secret: 'x' })).toMatchObject(denied);
    expect(await token(basic(secret), { grant_type: 'client_credentials', scope: 'offers:write' })).toMatchObject({
      error: 'unsupported_grant_type',
    });
    expect(await token(basic(secret), { grant_type: 'password' })).toMatchObject({ error: 'unsupported_grant_type' });
  });

  test.each(['/token', '/token/revocation', '/token/introspection', '/par'])(
    'that is missing, or of another scheme, is 401 invalid_client at %s, with the scheme to use',
    async (path) => {
      for (const authorization of [undefined, 'Bearer x', 'Digest username="x"', 'DPoP x']) {
        const response = await fetch(`${stack.base}/o/acme${path}`, {
          method: 'POST',
          headers: authorization === undefined ? {} : { authorization },
          body: new URLSearchParams({ grant_type: 'authorization_code', code: 'x', token: 'x' }),
        });
        expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
          401,
          'invalid_client',
        ]);
        expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="http/);
      }
    },
  );

  test('accepts HTTP Basic with an empty secret from a public app, and not from a web app', async () => {
    const empty = (id: string) => ({
      authorization: basicAuthorization({ clientId: encodeURIComponent(id), secret: '' }),
    });
    const [{ clientId }, web] = [spa.app, shop.app.clientId];
    expect(await token(empty(clientId), {})).toMatchObject({ status: 400, error: 'invalid_grant' });
    expect(await token(empty(clientId), { client_id: clientId })).toMatchObject({
      status: 400,
      error: 'invalid_grant',
    });
    expect(await token(empty(clientId), { client_id: web })).toMatchObject({ status: 400, error: 'invalid_request' });
    expect(await token(empty(clientId), { client_secret: 'x' })).toMatchObject({
      status: 401,
      error: 'invalid_client',
    });
    expect(await token(empty(web), {})).toMatchObject({ status: 400, error: 'invalid_request' });
    expect(await token({ authorization: basicAuthorization({ clientId, secret: 'x' }) }, {})).toMatchObject({
      status: 401,
      error: 'invalid_client',
    });
    const { refreshToken } = await spa.signIn();
    const used = await fetch(`${stack.base}/o/acme/token`, {
      method: 'POST',
      headers: empty(clientId),
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }),
    });
    expect(used.status).toBe(200);
    const revoked = await fetch(`${stack.base}/o/acme/token/revocation`, {
      method: 'POST',
      headers: empty(clientId),
      body: new URLSearchParams({ token: refreshToken }),
    });
    expect([revoked.status, revoked.headers.get('content-type'), await revoked.text()]).toEqual([200, null, '']);
    expect((await spa.refresh(refreshToken)).json.error).toBe('invalid_grant');
  });

  test('costs no more CPU with a scope of fifty kilobytes', async () => {
    const { refreshToken } = await shop.signIn();
    const cpuMs = (scope: string) =>
      leastCpuMs(async () => {
        for (let i = 0; i < 5; i += 1) expect((await shop.refresh(refreshToken, { scope })).status).toBe(400);
      });
    const smallMs = await cpuMs('openid x');
    for (const scope of [
      'x'.repeat(50_000),
      'openid '.repeat(7_000),
      Array.from({ length: 10_000 }, (_, i) => `s${i}`).join(' '),
    ])
      expect(await cpuMs(scope)).toBeLessThan(smallMs * 5 + 1000);
  });

  test('accepts no client assertion', async () => {
    const claims = {
      iss: shop.app.clientId,
      sub: shop.app.clientId,
      aud: `${stack.base}/o/acme`,
      exp: Math.floor(Date.now() / 1000) + 60,
      jti: 'once',
    };
    for (const alg of ['HS256', 'ES256', 'none']) {
      const encoded = [{ alg }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
      const assertion = `${encoded.join('.')}.AAAA`;
      const asserted = {
        client_assertion: assertion,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      };
      for (const more of [{}, { client_id: shop.app.clientId }] as Record<string, string>[])
        expect((await token({}, { ...asserted, ...more })).error).toMatch(/^invalid_(client|request)$/);
    }
  });

  test('is counted when it fails; a denied code of an authenticated client is recorded', async () => {
    await shop.exchange({ code: 'nothing', code_verifier: 'a'.repeat(43) });
    expect(stubs.records).toMatchObject([
      {
        record: {
          action: 'customer.token',
          actor: { type: 'app', id: shop.app.clientId },
          outcome: { result: 'denied', code: 'invalid_grant' },
          changes: { grantType: { to: 'authorization_code' } },
        },
      },
    ]);
    stubs.records = [];
    for (let i = 0; i < 3; i += 1)
      await token({ authorization: basicAuthorization({ ...shop.app, secret: 'no' }) }, {});
    expect(
      stubs.records.find(
        ({ record }) => record.outcome.code === 'invalid_client' && record.actor.id === shop.app.clientId,
      )?.record.outcome.count,
    ).toBeGreaterThanOrEqual(3);
  });
});

describe('CORS', () => {
  test('allows userinfo to pages of the app that obtained the token, if it is a spa', async () => {
    const { tokens } = await spa.signIn();
    const from = (origin: string, accessToken: string) =>
      fetch(`${stack.base}/o/acme/userinfo`, { headers: { authorization: `Bearer ${accessToken}`, origin } });
    expect((await from('https://shop.example', tokens.access_token)).headers.get('access-control-allow-origin')).toBe(
      'https://shop.example',
    );
    expect(
      (await from('https://evil.example', tokens.access_token)).headers.get('access-control-allow-origin'),
    ).toBeNull();
    const web = await shop.signIn();
    expect(
      (await from('https://shop.example', web.tokens.access_token)).headers.get('access-control-allow-origin'),
    ).toBeNull();
  });

  const corsOf = async (path: string, init: RequestInit) => {
    const { status, headers } = await fetch(`${stack.base}/o/${path}`, init);
    return [status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-headers')];
  };
  const preflight = (origin: string) => ({
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
  });

  test.each(['token', 'userinfo', 'token/revocation'])(
    'allows a preflight of %s to registered origins of the organization only',
    async (route) => {
      expect(await corsOf(`acme/${route}`, preflight('https://shop.example'))).toEqual([
        204,
        'https://shop.example',
        'authorization',
      ]);
      for (const origin of ['https://evil.example', 'https://shop.example.evil.example', 'http://shop.example', 'null'])
        expect(await corsOf(`acme/${route}`, preflight(origin))).toEqual([204, null, null]);
      // The app is of another organization.
      expect(await corsOf(`globex/${route}`, preflight('https://shop.example'))).toEqual([204, null, null]);
    },
  );

  test.each(['.well-known/openid-configuration', 'jwks'])(
    'allows %s to registered origins of the organization only',
    async (route) => {
      const read = (headers: Record<string, string>) => corsOf(`acme/${route}`, { headers });
      expect(await read({ origin: 'https://shop.example' })).toEqual([200, 'https://shop.example', null]);
      expect(await read({ origin: 'https://evil.example' })).toEqual([200, null, null]);
      expect(await read({})).toEqual([200, null, null]);
    },
  );

  test('allows a POST from our own origin for every app, since browsers send Origin with each POST', async () => {
    const { tokens } = await shop.signIn();
    const own = new URL(stack.base).origin;
    expect(
      (
        await fetch(`${stack.base}/o/acme/userinfo`, {
          method: 'POST',
          headers: { authorization: `Bearer ${tokens.access_token}`, origin: own },
        })
      ).status,
    ).toBe(200);
    expect(
      (
        await fetch(`${stack.base}/o/acme/userinfo`, {
          method: 'POST',
          headers: { authorization: `Bearer ${tokens.access_token}`, origin: 'https://evil.example' },
        })
      ).status,
    ).toBe(400);
  });
});

describe('userinfo', () => {
  test('denies an expired access token', async () => {
    const { tokens } = await shop.signIn();
    expect((await shop.userinfo(tokens.access_token)).status).toBe(200);
    await stack.expire('AccessToken');
    expect((await shop.userinfo(tokens.access_token)).status).toBe(401);
  });

  test('and revocation accept one Authorization header, and userinfo no token in a form', async () => {
    const { tokens, refreshToken } = await shop.signIn();
    const bearer = ['authorization', `Bearer ${tokens.access_token}`];
    const basic = ['authorization', basicAuthorization(shop.app)];
    const form = ['content-type', 'application/x-www-form-urlencoded'];
    const send = (path: string, method: string, headers: string[][], body = '') =>
      rawStatus(stack.base, { method, path: `/o/acme/${path}`, headers, body });
    expect(await send('userinfo', 'GET', [bearer])).toBe(200);
    expect(await send('userinfo', 'GET', [bearer, bearer])).toBe(400);
    expect(await send('userinfo', 'GET', [bearer, ['authorization', 'Bearer x']])).toBe(400);
    expect(await send('userinfo', 'POST', [bearer, form])).toBe(200);
    for (const headers of [[form], [bearer, form]])
      expect(await send('userinfo', 'POST', headers, `access%5Ftoken=${tokens.access_token}`)).toBe(401);
    expect(await send('token/revocation', 'POST', [basic, basic, form], `token=${refreshToken}`)).toBe(400);
    expect(
      await send('token/revocation', 'POST', [['authorization', 'Basic eA=='], basic, form], `token=${refreshToken}`),
    ).toBe(400);
    expect(
      await send('token/revocation', 'POST', [form], `token=${refreshToken}&access_token=${tokens.access_token}`),
    ).toBe(401);
    expect((await shop.refresh(refreshToken)).status).toBe(200);
  });

  test('accepts an access token in the header only, and no other token', async () => {
    const { tokens, refreshToken } = await shop.signIn();
    for (const wrong of [refreshToken, tokens.id_token!, 'x', `${tokens.access_token}x`])
      expect((await shop.userinfo(wrong)).status).toBe(401);
    expect((await fetch(`${stack.base}/o/acme/userinfo?access_token=${tokens.access_token}`)).status).toBe(400);
    const none = await fetch(`${stack.base}/o/acme/userinfo`);
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer realm=/)]);
  });
});

test('the table contains no code, token, cookie or id in plain text', async () => {
  const { tokens, browser, refreshToken } = await shop.signIn({ as: newCustomer() });
  const rows = JSON.stringify(
    await stack.database.query(
      `SELECT encode(payload, 'escape') AS payload, encode(id, 'escape') AS id FROM auth.oidc_state`,
    ),
  );
  for (const secret of [tokens.access_token, refreshToken, ...browser.cookies.map((c) => c.value)])
    expect(rows).not.toContain(secret);
  expect(stack.lines.join('')).not.toContain(refreshToken);
});
