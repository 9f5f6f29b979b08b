// Private keys of apps (RFC 7523) and tokens that are bound to a key (RFC 9449).
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  SignJWT,
  UnsecuredJWT,
  type CryptoKey,
  type JWK,
} from 'jose';
import * as oidc from 'openid-client';
import { eventually } from '@holdfast/testing';
import type { TokenResponse } from './client.ts';
import { closeConnections, exchange, type Problem, type Reply } from './http.ts';
import { claimsOf } from './jwt.ts';
import type { App } from './stack.ts';
import { stack } from './under-test.ts';

interface Key {
  privateKey: CryptoKey;
  publicJwk: JWK;
  privateJwk: JWK;
}

async function newKey(alg: string): Promise<Key> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const kid = randomUUID();
  const [publicJwk, privateJwk] = [await exportJWK(publicKey), await exportJWK(privateKey)];
  return { privateKey, publicJwk: { ...publicJwk, kid }, privateJwk: { ...privateJwk, kid } };
}

let folder: string;
let org: string;
let app: App;
let [key, otherKey, dpopKey]: Key[] = [];
const issuer = () => stack.baseUrl;
const address = () => `${stack.baseUrl}/o/${org}/api/credentials/subjects`;
const now = () => Math.floor(Date.now() / 1000);

function fileOf(content: unknown): string {
  const file = join(folder, `${randomUUID()}.json`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}
const jwksFile = (...keys: JWK[]) => fileOf({ keys });
const create = (name: string, ...more: string[]) =>
  stack.operator<{ app: App; clientSecret?: string }>(
    ...['app', 'create', org, '--name', name, '--kind', 'service', '--grant', 'issued:read', ...more],
  );
const byKey = (...more: string[]) => ['--auth-method', 'private_key_jwt', ...more];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'app-keys-'));
  org = await stack.newOrganization();
  [key, otherKey, dpopKey] = await Promise.all(['EdDSA', 'PS256', 'ES256'].map(newKey));
  const file = jwksFile(key!.publicJwk, otherKey!.publicJwk);
  const created = await create('robot', ...byKey('--jwks-file', file, '--require-dpop'));
  expect(created.clientSecret).toBeUndefined();
  app = created.app;
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  closeConnections();
});

const assertion = (claims: object = {}, { privateKey, publicJwk } = key!, alg = 'EdDSA') =>
  new SignJWT({ iss: app.clientId, sub: app.clientId, aud: issuer(), jti: randomUUID(), exp: now() + 60, ...claims })
    .setProtectedHeader({ alg, kid: publicJwk.kid! })
    .sign(privateKey);

function proof(htm: string, htu: string, claims: object = {}, { privateKey, publicJwk } = dpopKey!): Promise<string> {
  const { kid: _, ...jwk } = publicJwk;
  return new SignJWT({ htm, htu, jti: randomUUID(), iat: now(), ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
    .sign(privateKey);
}
const ofToken = (token: string) => ({ ath: createHash('sha256').update(token).digest('base64url') });

async function requestToken(
  clientAssertion: string,
  dpop?: string,
  gateway = 0,
): Promise<Reply<TokenResponse & { error_description?: string }>> {
  return exchange<TokenResponse>({
    origin: stack.gateways[gateway % stack.gateways.length]!,
    method: 'POST',
    path: '/oauth2/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...(dpop !== undefined && { dpop }) },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope: 'issued:read',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: clientAssertion,
    }).toString(),
  });
}

async function newToken(by = key!, alg = 'EdDSA'): Promise<string> {
  const { body } = await requestToken(await assertion({}, by, alg), await proof('POST', `${issuer()}/oauth2/token`));
  return body.access_token;
}

const list = (headers: Record<string, string | string[]>, gateway = 0) =>
  exchange<Problem>({
    origin: stack.gateways[gateway]!,
    path: `/o/${org}/api/credentials/subjects`,
    headers,
  });

describe('an app with a private key', () => {
  it('calls the API by a standard client, with a token that is bound to its key', async () => {
    const config = await oidc.discovery(
      new URL(issuer()),
      app.clientId,
      undefined,
      oidc.PrivateKeyJwt({ key: key!.privateKey, kid: key!.publicJwk.kid! }),
      { algorithm: 'oauth2', execute: [oidc.allowInsecureRequests] },
    );
    expect(config.serverMetadata().token_endpoint_auth_methods_supported).toContain('private_key_jwt');
    const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair('ES256'));
    const tokens = await oidc.clientCredentialsGrant(config, { scope: 'issued:read' }, { DPoP });
    for (let i = 0; i < 3; i += 1) {
      const options = { DPoP };
      const url = new URL(address());
      const response = await oidc.fetchProtectedResource(
        config,
        tokens.access_token,
        url,
        'GET',
        null,
        undefined,
        options,
      );
      expect(response.status).toBe(200);
    }
  });

  it('cannot use a secret, and one with a secret no key', async () => {
    await expect(stack.operator('secret', 'create', app.clientId)).rejects.toThrow(
      /private key and has no client secret/,
    );
    const { app: bySecret } = await create('with secret');
    const claims = { iss: bySecret.clientId, sub: bySecret.clientId };
    expect(await requestToken(await assertion(claims))).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
  });

  it('gets no token for a replayed, unsigned, wrongly addressed or long-lived assertion', async () => {
    const dpop = () => proof('POST', `${issuer()}/oauth2/token`);
    const used = await assertion();
    expect((await requestToken(used, await dpop())).status).toBe(200);
    const unsigned = new UnsecuredJWT({ iss: app.clientId, sub: app.clientId, aud: issuer(), jti: 'x' })
      .setExpirationTime('1m')
      .encode();
    const refused: [string, RegExp][] = [
      [used, /client authentication failed/],
      [unsigned, /client authentication failed/],
      [await assertion({ aud: `${issuer()}/oauth2/token` }), /aud of the client assertion must be/],
      [await assertion({ aud: [issuer()] }), /aud of the client assertion must be/],
      [await assertion({ exp: now() + 3600 }), /at most 300 s away/],
      [
        await assertion({}, { ...key!, privateKey: (await newKey('EdDSA')).privateKey }),
        /client authentication failed/,
      ],
    ];
    for (const [gateway, [sent, description]] of refused.entries()) {
      const { status, body } = await requestToken(sent, await dpop(), gateway);
      expect([status, body.error]).toEqual([401, 'invalid_client']);
      expect(body.error_description).toMatch(description);
    }
  });

  it('gets no token without a proof when it requires DPoP, nor with a proof for something else', async () => {
    const token = `${issuer()}/oauth2/token`;
    const sent = [undefined, await proof('GET', token), await proof('POST', 'https://attacker.example/oauth2/token')];
    for (const dpop of sent)
      expect(await requestToken(await assertion(), dpop)).toMatchObject({
        status: 400,
        body: { error: 'invalid_dpop_proof' },
      });
    const used = await proof('POST', token);
    expect((await requestToken(await assertion(), used)).status).toBe(200);
    expect((await requestToken(await assertion(), used, 1)).status).toBe(400);
  });
});

describe('a token that is bound to a key', () => {
  let token: string;
  beforeAll(async () => {
    token = await newToken();
  });
  const dpop = (claims: object = {}, htm = 'GET', htu = address(), by = dpopKey!) =>
    proof(htm, htu, { ...ofToken(token), ...claims }, by);

  it('is refused without a proof, as bearer token, and with a proof of another key', async () => {
    const { privateKey, publicJwk } = await newKey('ES256');
    expect(claimsOf(token)).toMatchObject({ cnf: { jkt: await calculateJwkThumbprint(dpopKey!.publicJwk) } });
    const cases: [Record<string, string>, string][] = [
      [{ authorization: `Bearer ${token}` }, 'invalid_token'],
      [{ authorization: `Bearer ${token}`, dpop: await dpop() }, 'invalid_token'],
      [{ authorization: `DPoP ${token}` }, 'invalid_dpop_proof'],
      [
        {
          authorization: `DPoP ${token}`,
          dpop: await dpop({}, 'GET', address(), { ...dpopKey!, privateKey, publicJwk }),
        },
        'invalid_token',
      ],
    ];
    for (const [headers, code] of cases) {
      const { status, body, headers: received } = await list(headers);
      expect([status, body.code]).toEqual([401, code]);
      expect(received['www-authenticate']).toMatch(new RegExp(`^DPoP .*error="${code}".*algs="[^"]*ES256`));
    }
  });

  it('is refused with a proof for another method, address, token or time', async () => {
    const cases: [string, string, RegExp][] = [
      [await dpop({}, 'POST'), 'invalid_dpop_proof', /htm/],
      [await dpop({}, 'GET', `${stack.baseUrl}/o/${org}/api/credentials`), 'invalid_dpop_proof', /htu/],
      [
        await dpop({}, 'GET', `https://attacker.example/o/${org}/api/credentials/subjects`),
        'invalid_dpop_proof',
        /htu/,
      ],
      [await dpop({ ath: ofToken('another').ath }), 'invalid_dpop_proof', /ath/],
      [await dpop({ iat: now() - 600 }), 'use_dpop_nonce', /iat/],
      [await dpop({ nonce: 'made-up' }), 'use_dpop_nonce', /nonce/],
    ];
    for (const [sent, code, detail] of cases) {
      const { status, body } = await list({ authorization: `DPoP ${token}`, dpop: sent, host: 'attacker.example' });
      expect([status, body.code]).toEqual([401, code]);
      expect(body.detail).toMatch(detail);
    }
  });

  it('is accepted with a proof once, and with the nonce that a response has', async () => {
    const used = await dpop();
    const first = await list({ authorization: `DPoP ${token}`, dpop: used });
    expect(first.status).toBe(200);
    expect(await list({ authorization: `DPoP ${token}`, dpop: used })).toMatchObject({
      status: 401,
      body: { code: 'invalid_dpop_proof' },
    });
    const late = await list({ authorization: `DPoP ${token}`, dpop: await dpop({ iat: now() - 600 }) });
    for (const nonce of [first.headers['dpop-nonce'], late.headers['dpop-nonce']]) {
      const sent = await dpop({ iat: now() - 600, nonce });
      expect((await list({ authorization: `DPoP ${token}`, dpop: sent }, stack.gateways.length - 1)).status).toBe(200);
    }
  });

  it('excludes bearer tokens under its scheme', async () => {
    const { app: other, clientSecret } = await create('bearer');
    const reply = await exchange<TokenResponse>({
      origin: stack.gateways[0]!,
      method: 'POST',
      path: '/oauth2/token',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${other.clientId}:${clientSecret}`).toString('base64')}`,
      },
      body: 'grant_type=client_credentials&scope=issued:read',
    });
    const bearer = reply.body.access_token;
    expect((await list({ authorization: `Bearer ${bearer}` })).status).toBe(200);
    const sent = await proof('GET', address(), ofToken(bearer));
    expect(await list({ authorization: `DPoP ${bearer}`, dpop: sent })).toMatchObject({ status: 401 });
  });
});

describe('the operator', () => {
  it('is told why keys cannot be used', async () => {
    const cases: [string[], RegExp][] = [
      [byKey('--jwks-file', jwksFile(key!.privateJwk)), /member "d" of a secret key; register the public key alone/],
      [byKey('--jwks-file', jwksFile({ kty: 'oct', k: 'c2VjcmV0' })), /secret key/],
      [byKey('--jwks-file', fileOf('no JSON')), /is not JSON/],
      [byKey('--jwks-uri', 'https://127.0.0.1/jwks.json'), /--jwks-uri: .*OUTBOUND_ALLOW/],
      [byKey('--jwks-uri', 'https://169.254.169.254/latest/meta-data'), /--jwks-uri: .*OUTBOUND_ALLOW/],
      [byKey('--jwks-uri', 'http://shop.example/jwks.json'), /--jwks-uri: .*OUTBOUND_ALLOW/],
      [byKey(), /is required for private_key_jwt/],
      [['--jwks-file', jwksFile(key!.publicJwk)], /set tokenEndpointAuthMethod private_key_jwt/],
    ];
    for (const [options, message] of cases)
      await expect(create(`refused ${randomUUID()}`, ...options)).rejects.toThrow(message);
  });

  it('ends the tokens of a key that is removed within a second on every gateway, and no others', async () => {
    const [removed, kept] = [await newToken(), await newToken(otherKey, 'PS256')];
    const statusOf = async (token: string, gateway: number) => {
      const sent = await proof('GET', address(), ofToken(token));
      return (await list({ authorization: `DPoP ${token}`, dpop: sent }, gateway)).status;
    };
    for (const gateway of stack.gateways.keys()) expect(await statusOf(removed, gateway)).toBe(200);
    await stack.operator('app', 'update', app.clientId, '--jwks-file', jwksFile(otherKey!.publicJwk));
    for (const gateway of stack.gateways.keys()) {
      await eventually(async () => (await statusOf(removed, gateway)) === 401, 1000);
      expect(await statusOf(kept, gateway)).toBe(200);
    }
    const dpop = await proof('POST', `${issuer()}/oauth2/token`);
    expect(await requestToken(await assertion(), dpop)).toMatchObject({ status: 401 });
  });
});
