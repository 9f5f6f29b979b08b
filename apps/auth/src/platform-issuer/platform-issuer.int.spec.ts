import { request } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { decodeJwt, importJWK, jwtVerify, type JWK } from 'jose';
import { accessTokenClaimsSchema, operationNames, platformKeys, type App } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { eventually, leastCpuMs, testContext } from '@holdfast/testing';
import { addApp, basicAuthorization } from '../auth-stack.fixture.js';
import { post, scopeRequest, stack, usePlatformIssuer, type TokenResponse } from '../platform-issuer.fixture.js';
import { stubs } from '../service-stubs.fixture.js';

usePlatformIssuer();

const newClient = (changes: Partial<App> = {}, orgSuspended = false) =>
  addApp({ scopes: ['offers:write', 'issued:read'], version: 3, ...changes }, orgSuspended);

describe('a token', () => {
  test('is an RFC 9068 JWT, signed with the platform key, with the claims of the contract', async () => {
    const client = newClient();
    const { status, headers, json } = await post(scopeRequest('offers:write issued:read'), client, {
      'x-request-id': 'req-1',
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'offers:write issued:read' });
    expect([
      headers.get('cache-control'),
      headers.get('x-request-id'),
      headers.get('access-control-allow-origin'),
    ]).toEqual(['no-store', 'req-1', null]);
    const { keys } = await new Bus(await stack.connect('gateway')).request(platformKeys, {}, testContext());
    expect(keys.map((k) => Object.keys(k).sort())).toEqual([['alg', 'crv', 'kid', 'kty', 'use', 'x']]);
    const { payload, protectedHeader } = await jwtVerify(json.access_token as string, await importJWK(keys[0] as JWK), {
      issuer: stack.base,
      audience: `${stack.base}/api`,
      typ: 'at+jwt',
      algorithms: ['EdDSA'],
    });
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid: keys[0]!.kid });
    expect(accessTokenClaimsSchema.strict().parse(payload)).toMatchObject({
      sub: client.clientId,
      client_id: client.clientId,
      org: 'acme',
      client_name: 'Shop',
      client_version: 3,
      secret_id: 'sec_first',
      api_version: '2026-11-01',
      scope: 'offers:write issued:read',
    });
    expect(payload.exp! - payload.iat!).toBe(600);
  });

  test('has the quotas that the operator has set for the API, and none otherwise', async () => {
    const [client, limited] = [newClient(), newClient()];
    const quotasOf = async (of: typeof client) =>
      decodeJwt((await post(scopeRequest('issued:read'), of)).json.access_token as string).rate_limits;
    Object.assign(stubs.clients.get(limited.clientId)!, { rateLimits: { read: 5, client: 7 } });
    expect(await quotasOf(limited)).toEqual({ read: 5 });
    expect(await quotasOf(client)).toBeUndefined();
  });

  test('has the id of the second secret when the client used that', async () => {
    const { clientId, secondSecret } = newClient();
    const { json } = await post(scopeRequest('issued:read'), { clientId, secret: secondSecret });
    expect(JSON.parse(Buffer.from((json.access_token as string).split('.')[1]!, 'base64url').toString())).toMatchObject(
      { secret_id: 'sec_second' },
    );
  });

  test('is issued with all fourteen operations to a service app', async () => {
    const client = newClient({ kind: 'service', scopes: operationNames });
    expect((await post(scopeRequest(operationNames.join(' ')), client)).json).toMatchObject({
      scope: operationNames.join(' '),
    });
  });

  test('is issued for the API, and denied for another resource', async () => {
    const client = newClient();
    expect((await post({ ...scopeRequest('issued:read'), resource: `${stack.base}/api` }, client)).status).toBe(200);
    expect(
      (await post({ ...scopeRequest('issued:read'), resource: 'https://elsewhere.example' }, client)).json,
    ).toMatchObject({
      error: 'invalid_target',
    });
  });
});

describe('a scope', () => {
  test.each([
    ['unknown', 'offers:write no:such'],
    ['ungranted', 'offers:write issued:manage'],
    ['an Admin API operation', 'users:read'],
    ['never grantable', 'roles:manage'],
    ['never grantable beside granted', 'issued:read vault:manage'],
    ['empty', ''],
    ['a space too many', 'offers:write  issued:read'],
    ['another case', 'Offers:Write'],
    ['openid', 'openid'],
    ['not ASCII', 'offers:wríte'],
    ['very long', 'offers:write '.repeat(900).trim()],
  ])('is denied as a whole: %s', async (_, scope) => {
    const { status, json, headers } = await post(scopeRequest(scope), newClient());
    expect({ status, error: json.error }).toEqual({ status: 400, error: 'invalid_scope' });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(json.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  });
  test('is required', async () => {
    expect((await post({ grant_type: 'client_credentials' }, newClient())).json).toMatchObject({
      error: 'invalid_scope',
    });
  });
  test('is denied if it was granted to a kind of app that can never hold it', async () => {
    expect((await post(scopeRequest('users:read'), newClient({ scopes: ['users:read'] }))).json).toMatchObject({
      error: 'invalid_scope',
    });
  });
});

describe('an invalid request', () => {
  const form = 'grant_type=client_credentials&scope=issued:read';
  test.each([
    ['a repeated scope', `${form}&scope=issued:read`],
    ['a repeated grant_type', `${form}&grant_type=client_credentials`],
    ['a secret in the body as well', `${form}&client_secret=abc`],
    ['another client_id in the body', `${form}&client_id=app_other`],
    ['no grant_type', 'scope=issued:read'],
  ])('with %s is 400', async (_, body) => {
    const { status, json } = await post(body, newClient());
    expect({ status, error: json.error }).toEqual({ status: 400, error: 'invalid_request' });
  });
  test('with parameters in the URI is 400', async () => {
    const { clientId, secret } = newClient();
    expect((await post(form, { clientId, secret }, {}, '/oauth2/token?client_id=x')).json).toMatchObject({
      error: 'invalid_request',
    });
    expect(
      (await post('', {}, {}, `/oauth2/token?${form}&client_id=${clientId}&client_secret=${secret}`)).json,
    ).toMatchObject({ error: 'invalid_request' });
  });
  test.each(['password', 'authorization_code', 'refresh_token', 'implicit'])(
    'with grant_type %s is 400',
    async (grant_type) => {
      expect((await post({ ...scopeRequest('issued:read'), grant_type }, newClient())).json).toMatchObject({
        error: 'unsupported_grant_type',
      });
    },
  );
  test('with a body of JSON is 400', async () => {
    expect((await post('{}', newClient(), { 'content-type': 'application/json' })).json).toMatchObject({
      error: 'invalid_request',
    });
  });
  test('has a response of JSON whatever it accepts', async () => {
    expect(
      (await post(scopeRequest('no:such'), newClient(), { accept: 'text/html' })).headers.get('content-type'),
    ).toContain('application/json');
  });
  test('from another origin has a response that the page cannot read', async () => {
    const { headers } = await post(scopeRequest('issued:read'), newClient(), { origin: 'https://evil.example' });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
  test('differs from one of our own origin, whose reference page has a form for tokens', async () => {
    const { status, headers } = await post(scopeRequest('issued:read'), newClient(), { origin: stack.base });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, null]);
    for (const origin of ['https://evil.example', 'null', 'http://localhost:8081'])
      expect((await post(scopeRequest('issued:read'), newClient(), { origin })).status).toBe(400);
  });
  test('with a scope of a megabyte is rejected with little work', async () => {
    const client = newClient();
    await post(scopeRequest('issued:read'), client);
    const scopes = 'offers:write '.repeat(80_000);
    const cpuMs = (name: string) =>
      leastCpuMs(async () => {
        const { status, json } = await post(`grant_type=client_credentials&${name}=${scopes}`, client);
        expect({ status, error: json.error }).toEqual({ status: 413, error: 'invalid_request' });
      });
    // Of sending and rejecting as many bytes, since client and server share this process.
    expect(await cpuMs('scope')).toBeLessThan(5 * (await cpuMs('x')) + 500);
  });
  test('with a scope of a megabyte and no length is rejected', async () => {
    const authorization = basicAuthorization(newClient());
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sending = request(
        new URL('/oauth2/token', stack.base),
        { method: 'POST', headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      sending.on('error', reject);
      sending.write('grant_type=client_credentials&scope=');
      for (let i = 0; i < 20; i += 1) sending.write('a'.repeat(50_000));
      sending.end();
    });
    expect(status).toBe(400);
  });
  test('with another method is 405, and at another address 404', async () => {
    const get = await fetch(`${stack.base}/oauth2/token`);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    for (const path of [
      '/auth',
      '/jwks',
      '/me',
      '/token',
      '/oauth2/token/',
      '/OAuth2/token',
      '/.well-known/openid-configuration',
    ])
      expect((await fetch(stack.base + path)).status).toBe(404);
  });
});

describe('a request without authentication', () => {
  const comparable = ({ status, text, headers }: TokenResponse) => {
    const compared = Object.fromEntries([...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)));
    return JSON.stringify({ status, text, compared });
  };
  test('gets the same response for wrong secret, unknown client, disabled app and suspended organization', async () => {
    const known = newClient();
    const wrong = await post(scopeRequest('issued:read'), {
      clientId: known.clientId,
      secret: known.secret.replace(/.$/, '_'),
    });
    const unknown = await post(scopeRequest('issued:read'), {
      clientId: `app_${'a'.repeat(22)}`,
      secret: known.secret,
    });
    expect(wrong.status).toBe(401);
    expect(wrong.json).toEqual({ error: 'invalid_client', error_description: 'client authentication failed' });
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    for (const other of [
      unknown,
      await post(scopeRequest('issued:read'), newClient({ disabled: true })),
      await post(scopeRequest('issued:read'), newClient({}, true)),
      await post(scopeRequest('no:such'), { clientId: 'x', secret: 'y' }),
    ]) {
      expect(comparable(other)).toBe(comparable(wrong));
    }
  });
  test('is 401 without credentials, and with credentials in the body only', async () => {
    const { clientId, secret } = newClient();
    for (const body of [
      scopeRequest('issued:read'),
      { ...scopeRequest('issued:read'), client_id: clientId, client_secret: secret },
    ]) {
      const { status, json, headers } = await post(body);
      expect({ status, error: json.error }).toEqual({ status: 401, error: 'invalid_client' });
      expect(headers.get('www-authenticate')).toMatch(/^Basic /);
      expect(json.error_description).toContain('HTTP Basic');
    }
  });
  test('is denied with a client assertion, also beside a secret', async () => {
    const client = newClient();
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const alg of ['HS256', 'EdDSA', 'none']) {
      const claims = {
        iss: client.clientId,
        sub: client.clientId,
        aud: 'https://id.example',
        exp: Math.floor(Date.now() / 1000) + 60,
        jti: 'once',
      };
      const body = {
        ...scopeRequest('issued:read'),
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: `${part({ alg })}.${part(claims)}.AAAA`,
      };
      expect((await post(body)).json.error).toBe('invalid_client');
      expect((await post({ ...body, client_id: client.clientId })).json.error).toBe('invalid_client');
      expect((await post(body, client)).json.error).toBe('invalid_request');
    }
  });
  test.each(['Bearer abc', 'Basic', 'Basic !!!', `Basic ${Buffer.from('nocolon').toString('base64')}`, 'Basic a b'])(
    'is denied with the header %s',
    async (authorization) => {
      const { status } = await post(scopeRequest('issued:read'), {}, { authorization });
      expect([400, 401]).toContain(status);
    },
  );
});

describe('changes in directory', () => {
  test('a client is queried once, and again after a change', async () => {
    const client = newClient();
    await post(scopeRequest('issued:read'), client);
    // When a heartbeat is late on a busy machine, directory is queried.
    await eventually(async () => {
      const { clientQueries } = stubs;
      for (let i = 0; i < 5; i += 1) expect((await post(scopeRequest('issued:read'), client)).status).toBe(200);
      expect(stubs.clientQueries).toBe(clientQueries);
    });
    await stack.changeDirectory(() => (stubs.clients.get(client.clientId)!.app.disabled = true));
    expect((await post(scopeRequest('issued:read'), client)).status).toBe(401);
  });
  test('a removed scope is denied at once', async () => {
    const client = newClient();
    expect((await post(scopeRequest('offers:write'), client)).status).toBe(200);
    await stack.changeDirectory(() => (stubs.clients.get(client.clientId)!.app.scopes = ['issued:read']));
    expect((await post(scopeRequest('offers:write'), client)).json).toMatchObject({ error: 'invalid_scope' });
  });
  test('without heartbeats directory is queried for each token, and the response is 503 without it', async () => {
    const client = newClient();
    await post(scopeRequest('issued:read'), client);
    stack.stopHeartbeats();
    await eventually(() => !stack.feed.fresh);
    const { clientQueries } = stubs;
    for (let i = 0; i < 3; i += 1) expect((await post(scopeRequest('issued:read'), client)).status).toBe(200);
    expect(stubs.clientQueries).toBe(clientQueries + 3);
    await stack.without('directory', async () => {
      const { status, json, headers } = await post(scopeRequest('issued:read'), client);
      expect({ status, json, retry: headers.get('retry-after') }).toEqual({
        status: 503,
        json: { error: 'temporarily_unavailable', error_description: 'try again in a moment' },
        retry: '1',
      });
    });
    stack.startHeartbeats();
    await eventually(async () => (await post(scopeRequest('issued:read'), client)).status === 200);
  });
});

describe('the record', () => {
  const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  test('of a token is appended before the response leaves', async () => {
    const client = newClient();
    await post(scopeRequest('issued:read'), client, { 'x-request-id': 'req-7', traceparent: trace });
    expect(stubs.records).toMatchObject([
      {
        org: 'acme',
        record: {
          action: 'token.issue',
          actor: { type: 'app', id: client.clientId, name: 'Shop' },
          outcome: { result: 'success', status: 200 },
          request: { id: 'req-7', traceparent: trace, method: 'POST', route: '/oauth2/token' },
          changes: { scope: { to: 'issued:read' } },
        },
      },
    ]);
  });
  test('of a denied request is appended', async () => {
    await post(scopeRequest('users:read'), newClient());
    expect(stubs.records).toMatchObject([
      { record: { outcome: { result: 'denied', status: 400, code: 'invalid_scope' } } },
    ]);
  });
  test('of wrong secrets is a count, and there is none of an unknown client', async () => {
    const client = newClient();
    for (let i = 0; i < 3; i += 1) await post(scopeRequest('issued:read'), { ...client, secret: 'wrong' });
    await post(scopeRequest('issued:read'), { clientId: `app_${'b'.repeat(22)}`, secret: 'wrong' });
    const ofClient = stubs.records.filter(({ record }) => record.actor.id === client.clientId);
    expect(ofClient).toMatchObject([
      { org: 'acme', record: { outcome: { result: 'denied', status: 401, code: 'invalid_client', count: 3 } } },
    ]);
    expect(stubs.records.some(({ record }) => record.actor.id.includes('bbbbb'))).toBe(false);
  });
  test('is required for a token: without audit the response is 503', async () => {
    stubs.auditUnavailable = true;
    const { status, json } = await post(scopeRequest('issued:read'), newClient());
    expect({ status, error: json.error, token: json.access_token }).toEqual({
      status: 503,
      error: 'temporarily_unavailable',
      token: undefined,
    });
  });
});

describe('wrong secrets', () => {
  test('are 429 beyond the limit of an address or a client, and the right secret still succeeds', async () => {
    const client = newClient();
    const wrong = (address: string) =>
      post(
        scopeRequest('issued:read'),
        { clientId: client.clientId, secret: 'wrong' },
        { 'x-holdfast-client-address': address },
      );
    let limited: TokenResponse | undefined;
    // The bucket refills meanwhile, so the number of 401s depends on the machine. A busy one answers some with 503.
    for (let batch = 0; !limited && batch < 50; batch += 1) {
      const responses = await Promise.all(Array.from({ length: 100 }, (_, i) => wrong(`192.0.2.${i % 4}`)));
      limited = responses.find(({ status }) => status !== 401 && status !== 503);
    }
    expect(limited).toMatchObject({ status: 429, json: { error: 'temporarily_unavailable' } });
    expect(limited!.headers.get('ratelimit')).toMatch(/^"wrong_secret";r=0;t=\d+$/);
    expect(Number(limited!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(limited!.headers.get('www-authenticate')).toBeNull();
    const right = await post(scopeRequest('issued:read'), client, { 'x-holdfast-client-address': '192.0.2.1' });
    expect(right.status).toBe(200);
    const other = newClient();
    expect(
      (
        await post(
          scopeRequest('issued:read'),
          { clientId: other.clientId, secret: 'wrong' },
          { 'x-holdfast-client-address': '198.51.100.1' },
        )
      ).status,
    ).toBe(401);
  });
});

describe('keys', () => {
  test('fifty concurrent first starts create one', async () => {
    await stack.database.query('DELETE FROM auth.signing_key');
    const { SigningKeys } = await import('../keys/signing-keys.js');
    const keys = stack.auth.app.get(SigningKeys);
    const all = await Promise.all(Array.from({ length: 50 }, () => keys.load('platform')));
    expect(new Set(all.flatMap(({ keys }) => keys.map((k) => k.kid))).size).toBe(1);
    const [row] = await stack.database.query<{ private_jwk: Buffer }>('SELECT private_jwk FROM auth.signing_key');
    expect(row!.private_jwk.toString('latin1')).not.toContain(all[0]!.keys[0]!.d);
  });
});

test('the log contains no secret and no token', () => {
  const all = stack.lines.join('');
  expect(all).toContain('"code":"invalid_client"');
  for (const { secrets } of stubs.clients.values()) for (const { hash } of secrets) expect(all).not.toContain(hash);
  expect(all).not.toMatch(/eyJ|Basic [A-Za-z0-9]/);
});
