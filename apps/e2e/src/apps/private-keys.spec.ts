// Apps that authenticate with a private key in place of a client secret (RFC 7523).
import { createHmac, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { UnsecuredJWT } from 'jose';
import * as oidc from 'openid-client';
import { eventually } from '@holdfast/testing';
import { exchange, type Problem } from '../clients/http.ts';
import { encodePart } from '../clients/jwt.ts';
import { stack } from '../clients/under-test.ts';
import type { App } from '../stack/stack.ts';
import {
  assertionOf,
  byKey,
  createService,
  fileOf,
  jwksFile,
  newKey,
  nowSeconds,
  ofToken,
  proofOf,
  requestTokenWith,
  tokenAddress,
  withKeyFiles,
  type Key,
} from './keys.fixture.ts';

withKeyFiles();

let org: string;
let app: App;
let [key, otherKey, dpopKey] = [] as unknown as [Key, Key, Key];
const path = () => `/o/${org}/api/credentials/subjects`;

beforeAll(async () => {
  org = await stack.newOrganization();
  [key, otherKey, dpopKey] = await Promise.all([newKey('EdDSA'), newKey('PS256'), newKey('ES256')]);
  const file = jwksFile(key.publicJwk, otherKey.publicJwk);
  const created = await createService(org, 'robot', ...byKey('--jwks-file', file, '--require-dpop'));
  expect(created.clientSecret).toBeUndefined();
  app = created.app;
});

const assertion = (claims: object = {}, by = key) => assertionOf(app, by, claims);
const tokenProof = () => proofOf(dpopKey, 'POST', tokenAddress());
const requestToken = async (sent: string, gateway = 0) => requestTokenWith(sent, await tokenProof(), gateway);

async function newToken(by = key): Promise<string> {
  return (await requestToken(await assertion({}, by))).body.access_token;
}

describe('an app with a private key', () => {
  it('calls the API by a standard client, with a token that is bound to its key', async () => {
    const config = await oidc.discovery(
      new URL(stack.baseUrl),
      app.clientId,
      undefined,
      oidc.PrivateKeyJwt({ key: key.privateKey, kid: key.kid }),
      { algorithm: 'oauth2', execute: [oidc.allowInsecureRequests] },
    );
    expect(config.serverMetadata().token_endpoint_auth_methods_supported).toContain('private_key_jwt');
    const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair('ES256'));
    const { access_token: token } = await oidc.clientCredentialsGrant(config, { scope: 'issued:read' }, { DPoP });
    const url = new URL(stack.baseUrl + path());
    for (let i = 0; i < 3; i += 1) {
      const options = { DPoP };
      const { status } = await oidc.fetchProtectedResource(config, token, url, 'GET', null, undefined, options);
      expect(status).toBe(200);
    }
  });

  it('cannot use a secret, and one with a secret no key', async () => {
    await expect(stack.operator('secret', 'create', app.clientId)).rejects.toThrow(
      /private key and has no client secret/,
    );
    const { app: bySecret } = await createService(org, 'with secret');
    expect(await requestToken(await assertionOf(bySecret, key))).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
  });

  it('gets no token for a replayed, wrongly addressed, expired, long-lived or wrongly signed assertion', async () => {
    const used = await assertion();
    expect((await requestToken(used)).status).toBe(200);
    const issuerOfOrganization = `${stack.baseUrl}/o/${org}`;
    const wrongKey = { ...key, privateKey: (await newKey('EdDSA')).privateKey };
    const refused: [string, RegExp][] = [
      [used, /client authentication failed/],
      [used, /client authentication failed/],
      [await assertion({ aud: tokenAddress() }), /aud of the client assertion must be/],
      [await assertion({ aud: [stack.baseUrl] }), /aud of the client assertion must be/],
      [await assertion({ aud: issuerOfOrganization }), /client authentication failed/],
      [await assertion({ aud: undefined }), /client authentication failed/],
      [await assertion({ exp: nowSeconds() - 120 }), /client authentication failed/],
      [await assertion({ exp: undefined }), /client authentication failed/],
      [await assertion({ exp: nowSeconds() + 3600 }), /at most 300 s away/],
      [await assertion({ jti: undefined }), /client authentication failed/],
      [await assertion({ iss: 'app_0123456789abcdefghijkl' }), /client authentication failed/],
      [await assertion({}, wrongKey), /client authentication failed/],
    ];
    for (const [gateway, [sent, description]] of refused.entries()) {
      const { status, body } = await requestToken(sent, gateway);
      expect([status, body.error]).toEqual([401, 'invalid_client']);
      expect(body.error_description).toMatch(description);
    }
  });

  it('gets no token for an assertion without a signature, or with its public key as a secret', async () => {
    const claims = { iss: app.clientId, sub: app.clientId, aud: stack.baseUrl, exp: nowSeconds() + 60 };
    const unsigned = new UnsecuredJWT({ ...claims, jti: randomUUID() }).encode();
    // Algorithm confusion (CVE-2015-9235): anybody who knows the public key could sign with it.
    const publicForms = [JSON.stringify(key.publicJwk), Buffer.from(key.publicJwk.x!, 'base64url'), key.publicJwk.x!];
    const symmetric = publicForms.map((secret) => {
      const signed = `${encodePart({ alg: 'HS256', kid: key.kid })}.${encodePart({ ...claims, jti: randomUUID() })}`;
      return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
    });
    for (const sent of [unsigned, ...symmetric])
      expect(await requestToken(sent)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  it('uses an assertion once, however many requests at all gateways race', async () => {
    const sent = await assertion();
    const results = await Promise.all(Array.from({ length: 10 }, (_, gateway) => requestToken(sent, gateway)));
    expect(results.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(401)]);
  });
});

describe('the operator', () => {
  it('gets the reason why keys cannot be used', async () => {
    const cases: [string[], RegExp][] = [
      [byKey('--jwks-file', jwksFile(key.privateJwk)), /member "d" of a secret key; register the public key alone/],
      [byKey('--jwks-file', jwksFile({ kty: 'oct', k: 'c2VjcmV0' })), /secret key/],
      [byKey('--jwks-file', fileOf('no JSON')), /is not JSON/],
      [byKey('--jwks-uri', 'https://127.0.0.1/jwks.json'), /--jwks-uri: .*OUTBOUND_ALLOW/],
      [byKey('--jwks-uri', 'https://169.254.169.254/latest/meta-data'), /--jwks-uri: .*OUTBOUND_ALLOW/],
      [byKey('--jwks-uri', 'http://shop.example/jwks.json'), /--jwks-uri: .*OUTBOUND_ALLOW/],
      [byKey(), /is required for private_key_jwt/],
      [['--jwks-file', jwksFile(key.publicJwk)], /set tokenEndpointAuthMethod private_key_jwt/],
    ];
    for (const [options, message] of cases)
      await expect(createService(org, `refused ${randomUUID()}`, ...options)).rejects.toThrow(message);
  });

  it('ends the tokens of a key that is removed on every gateway, and no others', async () => {
    const [removed, kept] = [await newToken(), await newToken(otherKey)];
    const statusOf = async (token: string, gateway: number) => {
      const dpop = await proofOf(dpopKey, 'GET', stack.baseUrl + path(), ofToken(token));
      const headers = { authorization: `DPoP ${token}`, dpop };
      return (await exchange<Problem>({ origin: stack.gateways[gateway]!, path: path(), headers })).status;
    };
    for (const gateway of stack.gateways.keys()) expect(await statusOf(removed, gateway)).toBe(200);
    await stack.operator('app', 'update', app.clientId, '--jwks-file', jwksFile(otherKey.publicJwk));
    for (const gateway of stack.gateways.keys()) {
      await eventually(async () => (await statusOf(removed, gateway)) === 401);
      expect(await statusOf(kept, gateway)).toBe(200);
    }
    expect(await requestToken(await assertion())).toMatchObject({ status: 401 });
  });
});
