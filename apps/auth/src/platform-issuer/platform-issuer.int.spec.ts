import { request } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { importJWK, jwtVerify, type JWK } from 'jose';
import { accessTokenClaimsSchema, operationNames, platformKeys } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { eventually, testContext } from '@holdfast/testing';
import {
  ask,
  auth,
  base,
  stubs,
  change,
  database,
  gateway,
  lines,
  log,
  newClient,
  port,
  post,
  silenceFeed,
  startDirectoryAgain,
  stopDirectory,
  withPlatform,
  type Answer,
} from '../platform-issuer.fixture.js';

withPlatform();

describe('a token', () => {
  test('is RFC 9068, signed with the platform key, with the claims of the contract', async () => {
    const client = newClient();
    const { status, headers, json } = await post(ask('offers:write issued:read'), client, { 'x-request-id': 'req-1' });
    expect(status).toBe(200);
    expect(json).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'offers:write issued:read' });
    expect([
      headers.get('cache-control'),
      headers.get('x-request-id'),
      headers.get('access-control-allow-origin'),
    ]).toEqual(['no-store', 'req-1', null]);
    const { keys } = await new Bus(gateway).request(platformKeys, {}, testContext());
    expect(keys.map((k) => Object.keys(k).sort())).toEqual([['alg', 'crv', 'kid', 'kty', 'use', 'x']]);
    const { payload, protectedHeader } = await jwtVerify(json.access_token as string, await importJWK(keys[0] as JWK), {
      issuer: base,
      audience: `${base}/api`,
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

  test('names the second secret when that obtained it', async () => {
    const { clientId, second } = newClient();
    const { json } = await post(ask('issued:read'), { clientId, secret: second });
    expect(JSON.parse(Buffer.from((json.access_token as string).split('.')[1]!, 'base64url').toString())).toMatchObject(
      { secret_id: 'sec_second' },
    );
  });

  test('is given with all fourteen operations to a service app', async () => {
    const client = newClient({ kind: 'service', scopes: operationNames });
    expect((await post(ask(operationNames.join(' ')), client)).json).toMatchObject({ scope: operationNames.join(' ') });
  });

  test('takes the resource that it is for, and no other', async () => {
    const client = newClient();
    expect((await post({ ...ask('issued:read'), resource: `${base}/api` }, client)).status).toBe(200);
    expect((await post({ ...ask('issued:read'), resource: 'https://elsewhere.example' }, client)).json).toMatchObject({
      error: 'invalid_target',
    });
  });
});

describe('the scope is all or nothing', () => {
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
  ])('%s', async (_, scope) => {
    const { status, json, headers } = await post(ask(scope), newClient());
    expect({ status, error: json.error }).toEqual({ status: 400, error: 'invalid_scope' });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(json.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  });
  test('missing', async () =>
    expect((await post({ grant_type: 'client_credentials' }, newClient())).json).toMatchObject({
      error: 'invalid_scope',
    }));
  test('granted, but not to such an app: the grant is not taken at its word', async () => {
    expect((await post(ask('users:read'), newClient({ scopes: ['users:read'] }))).json).toMatchObject({
      error: 'invalid_scope',
    });
  });
});

describe('a request that is not what it should be', () => {
  const form = 'grant_type=client_credentials&scope=issued:read';
  test.each([
    ['scope twice', `${form}&scope=issued:read`],
    ['grant_type twice', `${form}&grant_type=client_credentials`],
    ['a secret in the body as well', `${form}&client_secret=abc`],
    ['another client_id in the body', `${form}&client_id=app_other`],
    ['no grant_type', 'scope=issued:read'],
  ])('%s', async (_, body) => {
    const { status, json } = await post(body, newClient());
    expect({ status, error: json.error }).toEqual({ status: 400, error: 'invalid_request' });
  });
  test('parameters in the URI', async () => {
    const { clientId, secret } = newClient();
    expect((await post(form, { clientId, secret }, {}, '/oauth2/token?client_id=x')).json).toMatchObject({
      error: 'invalid_request',
    });
    expect(
      (await post('', {}, {}, `/oauth2/token?${form}&client_id=${clientId}&client_secret=${secret}`)).json,
    ).toMatchObject({ error: 'invalid_request' });
  });
  test.each(['password', 'authorization_code', 'refresh_token', 'implicit'])('grant_type %s', async (grant_type) => {
    expect((await post({ ...ask('issued:read'), grant_type }, newClient())).json).toMatchObject({
      error: 'unsupported_grant_type',
    });
  });
  test('JSON', async () => {
    expect((await post('{}', newClient(), { 'content-type': 'application/json' })).json).toMatchObject({
      error: 'invalid_request',
    });
  });
  test('whatever it accepts, the answer is JSON', async () => {
    expect((await post(ask('no:such'), newClient(), { accept: 'text/html' })).headers.get('content-type')).toContain(
      'application/json',
    );
  });
  test('a browser of another origin may not read the answer', async () => {
    const { headers } = await post(ask('issued:read'), newClient(), { origin: 'https://evil.example' });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
  test('a page of our own origin gets a token: browsers send Origin with each POST, and the reference page has such a form', async () => {
    const { status, headers } = await post(ask('issued:read'), newClient(), { origin: new URL(base).origin });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, null]);
    for (const origin of ['https://evil.example', 'null', 'http://localhost:8081'])
      expect((await post(ask('issued:read'), newClient(), { origin })).status).toBe(400);
  });
  test('a megabyte of scope is refused at once, with little work', async () => {
    const client = newClient();
    await post(ask('issued:read'), client);
    const body = `grant_type=client_credentials&scope=${'offers:write '.repeat(80_000)}`;
    const before = process.cpuUsage();
    const { status, json } = await post(body, client);
    const { user, system } = process.cpuUsage(before);
    expect({ status, error: json.error }).toEqual({ status: 413, error: 'invalid_request' });
    // Client and server share this process: the sending is in it.
    expect(user + system).toBeLessThan(50_000);
  });
  test('nor does it help to send it without a length', async () => {
    const { clientId, secret } = newClient();
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
      const sending = request(
        {
          port,
          path: '/oauth2/token',
          method: 'POST',
          headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
        },
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
  test('other methods and addresses', async () => {
    const url = `http://127.0.0.1:${port}`;
    const get = await fetch(`${url}/oauth2/token`);
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
      expect((await fetch(url + path)).status).toBe(404);
  });
});

describe('who is not the client', () => {
  const shown = ({ status, text, headers }: Answer) => {
    const kept = Object.fromEntries([...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)));
    return JSON.stringify({ status, text, kept });
  };
  test('wrong secret, unknown client, disabled app and suspended organization are told the same, byte for byte', async () => {
    const known = newClient();
    const wrong = await post(ask('issued:read'), { clientId: known.clientId, secret: known.secret.replace(/.$/, '_') });
    const unknown = await post(ask('issued:read'), { clientId: `app_${'a'.repeat(22)}`, secret: known.secret });
    expect(wrong.status).toBe(401);
    expect(wrong.json).toEqual({ error: 'invalid_client', error_description: 'client authentication failed' });
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    for (const other of [
      unknown,
      await post(ask('issued:read'), newClient({ disabled: true })),
      await post(ask('issued:read'), newClient({}, true)),
      await post(ask('no:such'), { clientId: 'x', secret: 'y' }),
    ]) {
      expect(shown(other)).toBe(shown(wrong));
    }
  });
  test('no credentials, or credentials in the body alone', async () => {
    const { clientId, secret } = newClient();
    for (const body of [ask('issued:read'), { ...ask('issued:read'), client_id: clientId, client_secret: secret }]) {
      const { status, json, headers } = await post(body);
      expect({ status, error: json.error }).toEqual({ status: 401, error: 'invalid_client' });
      expect(headers.get('www-authenticate')).toMatch(/^Basic /);
      expect(json.error_description).toContain('HTTP Basic');
    }
  });
  test('no assertion in place of a secret, or beside it', async () => {
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
        ...ask('issued:read'),
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: `${part({ alg })}.${part(claims)}.AAAA`,
      };
      expect((await post(body)).json.error).toBe('invalid_client');
      expect((await post({ ...body, client_id: client.clientId })).json.error).toBe('invalid_client');
      expect((await post(body, client)).json.error).toBe('invalid_request');
    }
  });
  test.each(['Bearer abc', 'Basic', 'Basic !!!', `Basic ${Buffer.from('nocolon').toString('base64')}`, 'Basic a b'])(
    'the header %s',
    async (authorization) => {
      const { status } = await post(ask('issued:read'), {}, { authorization });
      expect([400, 401]).toContain(status);
    },
  );
});

describe('changes in directory', () => {
  test('a client is asked for once, and again after a change', async () => {
    const client = newClient();
    await post(ask('issued:read'), client);
    const { asked } = stubs;
    for (let i = 0; i < 5; i += 1) expect((await post(ask('issued:read'), client)).status).toBe(200);
    expect(stubs.asked).toBe(asked);
    await change(() => (stubs.clients.get(client.clientId)!.app.disabled = true));
    expect((await post(ask('issued:read'), client)).status).toBe(401);
  });
  test('a scope that was taken away is refused at once', async () => {
    const client = newClient();
    expect((await post(ask('offers:write'), client)).status).toBe(200);
    await change(() => (stubs.clients.get(client.clientId)!.app.scopes = ['issued:read']));
    expect((await post(ask('offers:write'), client)).json).toMatchObject({ error: 'invalid_scope' });
  });
  test('a silent feed: directory is asked each time, and when it is away there is no token', async () => {
    const client = newClient();
    await post(ask('issued:read'), client);
    silenceFeed();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const { asked } = stubs;
    for (let i = 0; i < 3; i += 1) expect((await post(ask('issued:read'), client)).status).toBe(200);
    expect(stubs.asked).toBe(asked + 3);
    await stopDirectory();
    const { status, json, headers } = await post(ask('issued:read'), client);
    expect({ status, json, retry: headers.get('retry-after') }).toEqual({
      status: 503,
      json: { error: 'temporarily_unavailable', error_description: 'try again in a moment' },
      retry: '1',
    });
    await startDirectoryAgain();
    await eventually(async () => (await post(ask('issued:read'), client)).status === 200);
  });
});

describe('the record', () => {
  const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  test('of a token stands in the log of the organization before the answer leaves', async () => {
    const client = newClient();
    await post(ask('issued:read'), client, { 'x-request-id': 'req-7', traceparent: trace });
    expect(log.records).toMatchObject([
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
  test('of a refusal too', async () => {
    await post(ask('users:read'), newClient());
    expect(log.records).toMatchObject([
      { record: { outcome: { result: 'denied', status: 400, code: 'invalid_scope' } } },
    ]);
  });
  test('of wrong secrets is a count, and an unknown client leaves none', async () => {
    const client = newClient();
    for (let i = 0; i < 3; i += 1) await post(ask('issued:read'), { ...client, secret: 'wrong' });
    await post(ask('issued:read'), { clientId: `app_${'b'.repeat(22)}`, secret: 'wrong' });
    const mine = log.records.filter(({ record }) => record.actor.id === client.clientId);
    expect(mine).toMatchObject([
      { org: 'acme', record: { outcome: { result: 'denied', status: 401, code: 'invalid_client', count: 3 } } },
    ]);
    expect(log.records.some(({ record }) => record.actor.id.includes('bbbbb'))).toBe(false);
  });
  test('cannot be made: no token', async () => {
    log.away = true;
    const { status, json } = await post(ask('issued:read'), newClient());
    expect({ status, error: json.error, token: json.access_token }).toEqual({
      status: 503,
      error: 'temporarily_unavailable',
      token: undefined,
    });
  });
});

describe('wrong secrets', () => {
  test('are answered 429 when there are too many of them, from one address or for one client; the right one passes', async () => {
    const client = newClient();
    const wrong = (address: string) =>
      post(
        ask('issued:read'),
        { clientId: client.clientId, secret: 'wrong' },
        { 'x-holdfast-client-address': address },
      );
    let refused: Answer | undefined;
    // The bucket fills while we send, so how many it takes is up to the machine.
    for (let batch = 0; !refused && batch < 50; batch += 1) {
      const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => wrong(`192.0.2.${i % 4}`)));
      refused = answers.find(({ status }) => status !== 401);
    }
    expect(refused).toMatchObject({ status: 429, json: { error: 'temporarily_unavailable' } });
    expect(refused!.headers.get('ratelimit')).toMatch(/^"wrong_secret";r=0;t=\d+$/);
    expect(Number(refused!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused!.headers.get('www-authenticate')).toBeNull();
    const right = await post(ask('issued:read'), client, { 'x-holdfast-client-address': '192.0.2.1' });
    expect(right.status).toBe(200);
    const other = newClient();
    expect(
      (
        await post(
          ask('issued:read'),
          { clientId: other.clientId, secret: 'wrong' },
          { 'x-holdfast-client-address': '198.51.100.1' },
        )
      ).status,
    ).toBe(401);
  });
});

describe('keys', () => {
  test('fifty first starts at the same time make one', async () => {
    await database.query('DELETE FROM auth.signing_key');
    const { SigningKeys } = await import('../keys/signing-keys.js');
    const keys = auth.app.get(SigningKeys);
    const all = await Promise.all(Array.from({ length: 50 }, () => keys.load('platform')));
    expect(new Set(all.flatMap(({ keys }) => keys.map((k) => k.kid))).size).toBe(1);
    const [row] = await database.query<{ private_jwk: Buffer }>('SELECT private_jwk FROM auth.signing_key');
    expect(row!.private_jwk.toString('latin1')).not.toContain(all[0]!.keys[0]!.d);
  });
});

test('no line of the log holds a secret or a token', () => {
  const all = lines.join('');
  expect(all).toContain('"code":"invalid_client"');
  for (const { secrets } of stubs.clients.values()) for (const { hash } of secrets) expect(all).not.toContain(hash);
  expect(all).not.toMatch(/eyJ|Basic [A-Za-z0-9]/);
});
