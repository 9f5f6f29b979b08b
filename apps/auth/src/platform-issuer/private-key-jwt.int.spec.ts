import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import * as oidc from 'openid-client';
import type { App } from '@holdfast/contracts';
import { addApp, AuthStack, type TestApp } from '../auth-stack.fixture.js';
import { clientAssertion, newClientKey, signAsIs, withAssertion, type ClientKey } from '../client-key.fixture.js';
import { stubs } from '../service-stubs.fixture.js';

let stack: AuthStack;
let key: ClientKey;
let keyServer: Server;
let keysAt: string;
/** What the server of keys responds. */
let served: { status: number; body: string; requests: number };

beforeAll(async () => {
  keyServer = createServer((_request, response) => {
    served.requests += 1;
    response.writeHead(served.status, { 'content-type': 'application/json' }).end(served.body);
  });
  await new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve));
  keysAt = `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}`;
  stack = await AuthStack.start({ OUTBOUND_ALLOW: [keysAt] });
  key = await newClientKey();
});
afterAll(async () => {
  await stack.stop();
  keyServer.close();
});
beforeEach(() => {
  stubs.records = [];
  served = { status: 200, body: JSON.stringify({ keys: [key.publicJwk] }), requests: 0 };
});

const newClient = (changes: Partial<App> = {}): TestApp =>
  addApp({
    kind: 'service',
    scopes: ['users:read'],
    tokenEndpointAuthMethod: 'private_key_jwt',
    jwks: { keys: [key.publicJwk] },
    ...changes,
  });
const atUri = (path: string) => newClient({ jwks: undefined, jwksUri: keysAt + path });

async function post(parameters: Record<string, string>, headers: Record<string, string> = {}, base = stack.base) {
  const response = await fetch(`${base}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'users:read', ...parameters }),
    headers,
  });
  return { status: response.status, json: (await response.json()) as Record<string, string> };
}
const requestToken = async (
  { clientId }: TestApp,
  claims: object = {},
  header: object = {},
  by = key,
  base = stack.base,
) => post(withAssertion(await clientAssertion(by, clientId, stack.base, claims, header)), {}, base);
const refused = { status: 401, json: { error: 'invalid_client' } };

describe('private_key_jwt', () => {
  test.each(['EdDSA', 'ES256', 'PS256', 'RS256'])('gives a standard client with a %s key a token', async (alg) => {
    const own = await newClientKey(alg);
    const { clientId } = newClient({ jwks: { keys: [own.publicJwk] } });
    const config = await oidc.discovery(
      new URL(stack.base),
      clientId,
      undefined,
      oidc.PrivateKeyJwt({ key: own.key, kid: own.kid }),
      { algorithm: 'oauth2', execute: [oidc.allowInsecureRequests] },
    );
    const { access_token: token } = await oidc.clientCredentialsGrant(config, { scope: 'users:read' });
    expect(decodeJwt(token)).toMatchObject({ client_id: clientId, scope: 'users:read', secret_id: own.id });
    expect(stubs.records.at(-1)!.record).toMatchObject({
      action: 'token.issue',
      actor: { id: clientId },
      outcome: { result: 'success' },
    });
  });

  const now = () => Math.floor(Date.now() / 1000);
  test.each<[string, () => object, string]>([
    ['aud is the token endpoint', () => ({ aud: `${stack.base}/oauth2/token` }), 'aud of the client assertion'],
    ['aud is a list', () => ({ aud: [stack.base] }), 'aud of the client assertion'],
    ['aud is another server', () => ({ aud: 'https://other.example' }), 'client authentication failed'],
    ['aud is the issuer of an organization', () => ({ aud: `${stack.base}/o/acme` }), 'client authentication failed'],
    ['exp is far away', () => ({ exp: now() + 3600 }), 'at most 300 s away'],
    ['exp is past', () => ({ exp: now() - 10 }), 'client authentication failed'],
    ['exp is absent', () => ({ exp: undefined }), 'client authentication failed'],
    ['jti is absent', () => ({ jti: undefined }), 'client authentication failed'],
    ['jti is very long', () => ({ jti: 'x'.repeat(201) }), 'at most 200 characters'],
    ['iss is another client', () => ({ iss: 'app_other' }), 'client authentication failed'],
    ['nbf is in the future', () => ({ nbf: now() + 60 }), 'client authentication failed'],
    ['iat is in the future', () => ({ iat: now() + 60 }), 'iat of the client assertion must not be in the future'],
    ['iat is far in the future', () => ({ iat: 1e15 }), 'iat of the client assertion must not be in the future'],
    ['iat is no number', () => ({ iat: 'now' }), 'client authentication failed'],
    ['nbf is no number', () => ({ nbf: 'now' }), 'client authentication failed'],
    ['exp is no number', () => ({ exp: String(now() + 60) }), 'client authentication failed'],
    ['exp is beyond all numbers', () => ({ exp: 1e300 }), 'at most 300 s away'],
    ['jti is a number', () => ({ jti: 1 }), 'client authentication failed'],
    ['jti is a list', () => ({ jti: ['a'] }), 'client authentication failed'],
    ['jti is empty', () => ({ jti: '' }), 'client authentication failed'],
  ])('refuses an assertion whose %s', async (_, claims, description) => {
    const result = await requestToken(newClient(), claims());
    expect(result).toMatchObject(refused);
    expect(result.json.error_description).toContain(description);
  });

  test('refuses assertions that are unsigned, symmetric, of another type or of another key', async () => {
    const client = newClient();
    const claims = decodeJwt(await clientAssertion(key, client.clientId, stack.base));
    const unsigned = new UnsecuredJWT(claims).encode();
    // The public key as the secret of an HMAC (CVE-2015-9235).
    const secret = new TextEncoder().encode(JSON.stringify(key.publicJwk));
    const symmetric = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: key.kid }).sign(secret);
    for (const assertion of [unsigned, symmetric]) expect(await post(withAssertion(assertion))).toMatchObject(refused);
    expect(await requestToken(client, {}, { typ: 'dpop+jwt' })).toMatchObject(refused);
    expect(await requestToken(client, {}, { typ: 'at+jwt' })).toMatchObject(refused);
    expect(await requestToken(client, {}, {}, await newClientKey('ES256', key.kid))).toMatchObject(refused);
    expect(await requestToken(client, {}, { kid: 'unknown' })).toMatchObject(refused);
    expect((await requestToken(client, {}, { kid: undefined })).status).toBe(200);
  });

  test.each<[string, object]>([
    ['an unencoded payload', { b64: false, crit: ['b64'] }],
    ['b64, without crit', { b64: false }],
    ['b64, which is true', { b64: true, crit: ['b64'] }],
    ['an unknown extension', { crit: ['exp'], exp: 1 }],
    ['no extension, in crit', { crit: [] }],
  ])('refuses an assertion whose header has %s', async (_, header) => {
    const { clientId } = newClient();
    // The payload is the text of a payload: a reader that decodes it, whatever b64 says, finds valid claims.
    const [, payload] = (await clientAssertion(key, clientId, stack.base)).split('.');
    const signed = (more: object) => signAsIs(key, { alg: key.alg, kid: key.kid, ...more }, payload!);
    expect(await post(withAssertion(signed(header)))).toMatchObject(refused);
    expect((await post(withAssertion(signed({})))).status).toBe(200);
  });

  test('accepts an assertion of a client whose clock is a few seconds ahead', async () => {
    expect((await requestToken(newClient(), { iat: now() + 5, nbf: now() + 5 })).status).toBe(200);
  });

  test('accepts an assertion once, on all replicas and however many requests race', async () => {
    const other = await stack.startReplica({ publicUrl: stack.base });
    const { clientId } = newClient();
    const parameters = withAssertion(await clientAssertion(key, clientId, stack.base));
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => post(parameters, {}, i % 2 ? stack.base : other.base)),
    );
    expect(results.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(401)]);
    expect((await post(parameters, {}, other.base)).status).toBe(401);
    await other.stop();
  });

  test('and a client secret exclude each other', async () => {
    const [byKey, bySecret] = [newClient(), addApp({ kind: 'service', scopes: ['users:read'] })];
    const basic = ({ clientId, secret }: TestApp) => ({
      authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
    });
    expect(await post({}, basic(byKey))).toMatchObject(refused);
    expect(await requestToken(bySecret)).toMatchObject(refused);
    const both = withAssertion(await clientAssertion(key, byKey.clientId, stack.base));
    expect(await post(both, basic(byKey))).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
    expect(await post({ client_id: byKey.clientId, client_secret: byKey.secret })).toMatchObject(refused);
    expect(stubs.records.filter(({ record }) => record.outcome.result === 'success')).toEqual([]);
  });

  test('refuses a disabled app, an app of a suspended organization and an unknown one alike', async () => {
    const suspended = newClient();
    stubs.clients.get(suspended.clientId)!.orgSuspended = true;
    const results = [newClient({ disabled: true }), suspended, { clientId: 'app_0123456789abcdefghijkl' }];
    for (const client of results)
      expect(await requestToken(client as TestApp)).toEqual({
        status: 401,
        json: { error: 'invalid_client', error_description: 'client authentication failed' },
      });
  });

  test('uses the new keys of an app as soon as directory has them, and no removed ones', async () => {
    const client = newClient();
    expect((await requestToken(client)).status).toBe(200);
    const next = await newClientKey();
    await stack.changeDirectory(() => {
      stubs.clients.get(client.clientId)!.app.jwks = { keys: [next.publicJwk] };
    });
    expect((await requestToken(client, {}, {}, next)).status).toBe(200);
    expect(await requestToken(client)).toMatchObject(refused);
  });

  test('answers 429 to one that fails too often, while the right key still succeeds', async () => {
    const config = { WRONG_SECRETS_PER_MINUTE: 20 };
    const strict = await stack.startReplica({ publicUrl: stack.base, config });
    const client = newClient();
    const wrong = await newClientKey('ES256', key.kid);
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => (await requestToken(client, {}, {}, wrong, strict.base)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect((await requestToken(client, {}, {}, key, strict.base)).status).toBe(200);
    await strict.stop();
  });
});

describe('the keys at a jwks_uri', () => {
  test('verify assertions, and are loaded once for many requests', async () => {
    const client = atUri('/many');
    const results = await Promise.all(Array.from({ length: 4 }, () => requestToken(client)));
    expect(results.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (let i = 0; i < 3; i += 1) expect((await requestToken(client)).status).toBe(200);
    expect(served.requests).toBe(1);
  });

  test('are not loaded for each unknown key id', async () => {
    const client = atUri('/unknown');
    for (let i = 0; i < 5; i += 1)
      expect(await requestToken(client, {}, { kid: `unknown-${i}` })).toMatchObject(refused);
    expect(served.requests).toBe(1);
  });

  test.each<[string, () => Partial<typeof served>, string]>([
    ['are unreachable', () => ({ status: 500 }), 'status 500'],
    ['are a redirect', () => ({ status: 302 }), 'redirects are not followed'],
    ['are not JSON', () => ({ body: '<html>' }), 'not JSON'],
    ['are no set of keys', () => ({ body: '{}' }), 'not a JSON Web Key Set'],
    ['are empty', () => ({ body: '{"keys":[]}' }), 'no public key'],
    ['are private', () => ({ body: JSON.stringify({ keys: [{ ...key.publicJwk, d: 'x' }] }) }), 'no public key'],
    ['are very large', () => ({ body: `{"keys":[],"x":"${'x'.repeat(70_000)}"}` }), 'too large'],
  ])('refuse the client when they %s, and say so', async (what, response, description) => {
    Object.assign(served, response());
    const { status, json } = await requestToken(atUri(`/${encodeURIComponent(what)}`));
    expect([status, json.error]).toEqual([401, 'invalid_client']);
    expect(json.error_description).toContain(description);
  });

  test.each(['https://127.0.0.1/jwks', 'https://169.254.169.254/latest/meta-data', 'https://[::1]/jwks'])(
    'are never loaded from %s',
    async (jwksUri) => {
      const { status, json } = await requestToken(newClient({ jwks: undefined, jwksUri }));
      expect([status, json.error]).toEqual([401, 'invalid_client']);
      expect(json.error_description).toContain('jwks_uri of the app cannot be used');
    },
  );
});
