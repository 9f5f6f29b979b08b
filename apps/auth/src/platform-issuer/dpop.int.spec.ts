import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { calculateJwkThumbprint, decodeJwt } from 'jose';
import * as oidc from 'openid-client';
import { addApp, AuthStack, basicAuthorization, type TestApp } from '../auth-stack.fixture.js';
import { dpopProof, newClientKey, signAsIs, type ClientKey } from '../client-key.fixture.js';

let stack: AuthStack;
let key: ClientKey;
let htu: string;
beforeAll(async () => {
  stack = await AuthStack.start();
  key = await newClientKey();
  htu = `${stack.base}/oauth2/token`;
});
afterAll(() => stack.stop());

const newClient = (requireDpop = false) => addApp({ kind: 'service', scopes: ['users:read'], requireDpop });
async function request(client: TestApp, proof?: string, headers: Record<string, string> = {}, base = stack.base) {
  const response = await fetch(`${base}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'users:read' }),
    headers: { authorization: basicAuthorization(client), ...(proof !== undefined && { dpop: proof }), ...headers },
  });
  const json = (await response.json()) as Record<string, string>;
  return { status: response.status, json, nonce: response.headers.get('dpop-nonce') };
}

describe('a DPoP proof at the token endpoint', () => {
  test('binds the token to the key of a standard client', async () => {
    const { clientId, secret } = newClient(true);
    const config = await oidc.discovery(new URL(stack.base), clientId, undefined, oidc.ClientSecretBasic(secret), {
      algorithm: 'oauth2',
      execute: [oidc.allowInsecureRequests],
    });
    const pair = await oidc.randomDPoPKeyPair('ES256', { extractable: true });
    const tokens = await oidc.clientCredentialsGrant(
      config,
      { scope: 'users:read' },
      { DPoP: oidc.getDPoPHandle(config, pair) },
    );
    const jwk = await crypto.subtle.exportKey('jwk', pair.publicKey);
    expect(tokens.token_type.toLowerCase()).toBe('dpop');
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      cnf: { jkt: await calculateJwkThumbprint(jwk) },
      client_id: clientId,
    });
  });

  test('is needed by an app that requires it, and by no other', async () => {
    expect(await request(newClient(true))).toMatchObject({ status: 400, json: { error: 'invalid_dpop_proof' } });
    expect(await request(newClient())).toMatchObject({ status: 200, json: { token_type: 'Bearer' } });
    const bound = await request(newClient(), await dpopProof(key, 'POST', htu));
    expect(bound).toMatchObject({ status: 200, json: { token_type: 'DPoP' } });
  });

  test.each<[string, object, string]>([
    ['another method', { htm: 'GET' }, 'invalid_dpop_proof'],
    ['another address', { htu: 'https://attacker.example/oauth2/token' }, 'invalid_dpop_proof'],
    ['no jti', { jti: undefined }, 'invalid_dpop_proof'],
    ['an old time', { iat: 1_700_000_000 }, 'use_dpop_nonce'],
    ['a made-up nonce', { nonce: 'made-up' }, 'use_dpop_nonce'],
    ['a time of two minutes ago', { iat: Math.floor(Date.now() / 1000) - 120 }, 'use_dpop_nonce'],
    ['a time in an hour', { iat: Math.floor(Date.now() / 1000) + 3600 }, 'use_dpop_nonce'],
    ['a time in four minutes', { iat: Math.floor(Date.now() / 1000) + 240 }, 'use_dpop_nonce'],
    ['a time that is no number', { iat: 'now' }, 'invalid_dpop_proof'],
    ['a past exp', { exp: 1_700_000_000 }, 'invalid_dpop_proof'],
    ['an nbf in the future', { nbf: Math.floor(Date.now() / 1000) + 3600 }, 'invalid_dpop_proof'],
    ['a jti that is a number', { jti: 1 }, 'invalid_dpop_proof'],
    ['a very long jti', { jti: 'x'.repeat(201) }, 'invalid_dpop_proof'],
  ])('is refused with %s', async (_, claims, error) => {
    const client = newClient(true);
    const { status, json, nonce } = await request(client, await dpopProof(key, 'POST', htu, claims));
    expect([status, json.error]).toEqual([400, error]);
    if (error === 'use_dpop_nonce')
      expect((await request(client, await dpopProof(key, 'POST', htu, { ...claims, nonce }))).status).toBe(200);
  });

  test.each<[string, object]>([
    ['an unencoded payload', { b64: false, crit: ['b64'] }],
    ['an unknown extension', { crit: ['exp'], exp: 1 }],
  ])('is refused whose header has %s', async (_, header) => {
    const [protectedHeader, payload] = (await dpopProof(key, 'POST', htu)).split('.');
    const valid = JSON.parse(Buffer.from(protectedHeader!, 'base64url').toString()) as object;
    const signed = (more: object) => signAsIs(key, { ...valid, ...more }, payload!);
    expect(await request(newClient(true), signed(header))).toMatchObject({
      status: 400,
      json: { error: 'invalid_dpop_proof' },
    });
    expect((await request(newClient(true), signed({}))).status).toBe(200);
  });

  test('is for our own address, whatever Host and forwarding headers say', async () => {
    const other = await stack.startReplica({ publicUrl: 'https://id.example' });
    const client = newClient(true);
    const proofFor = (origin: string) => dpopProof(key, 'POST', `${origin}/oauth2/token`);
    const forged = { 'x-forwarded-host': 'attacker.example', 'x-forwarded-proto': 'http', host: 'attacker.example' };
    const send = async (origin: string) => request(client, await proofFor(origin), forged, other.base);
    expect((await send('https://id.example')).status).toBe(200);
    for (const origin of ['http://attacker.example', 'https://attacker.example', other.base, 'http://id.example'])
      expect(await send(origin)).toMatchObject({ status: 400, json: { error: 'invalid_dpop_proof' } });
    await other.stop();
  });

  test('is accepted once, on all replicas and however many requests race', async () => {
    const other = await stack.startReplica({ publicUrl: stack.base });
    const client = newClient(true);
    const proof = await dpopProof(key, 'POST', htu);
    const bases = Array.from({ length: 10 }, (_, i) => (i % 2 ? stack.base : other.base));
    const results = await Promise.all(bases.map((base) => request(client, proof, {}, base)));
    expect(results.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(400)]);
    await other.stop();
  });

  test('with the algorithm none or HS256, or with a private key, is refused', async () => {
    const client = newClient(true);
    const { d: _, ...rest } = key.publicJwk as unknown as Record<string, string>;
    const withPrivate = await dpopProof(key, 'POST', htu, {}, { jwk: { ...rest, d: rest.x } });
    const [header, payload, signature] = (await dpopProof(key, 'POST', htu)).split('.');
    const withAlg = (alg: string) => {
      const changed = { ...JSON.parse(Buffer.from(header!, 'base64url').toString()), alg } as object;
      return `${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${payload}.`;
    };
    for (const proof of [withPrivate, withAlg('none'), `${withAlg('HS256')}${signature}`, 'nonsense'])
      expect(await request(client, proof)).toMatchObject({ status: 400, json: { error: 'invalid_dpop_proof' } });
  });
});
