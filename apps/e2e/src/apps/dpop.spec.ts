// Tokens that are bound to a key (DPoP, RFC 9449): at the token endpoint and in the API.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { calculateJwkThumbprint } from 'jose';
import { eventually } from '@holdfast/testing';
import { requestToken } from '../clients/client.ts';
import { exchange, type Problem } from '../clients/http.ts';
import { claimsOf } from '../clients/jwt.ts';
import { stack } from '../clients/under-test.ts';
import type { App } from '../stack/stack.ts';
import {
  createService,
  newKey,
  nowSeconds,
  ofToken,
  proofOf,
  tokenAddress,
  withKeyFiles,
  type Key,
} from './keys.fixture.ts';

withKeyFiles();

let org: string;
let app: App;
let key: Key;
let token: string;
const path = () => `/o/${org}/api/credentials/subjects`;
const address = () => stack.baseUrl + path();

beforeAll(async () => {
  org = await stack.newOrganization();
  key = await newKey('ES256');
  const { app: created, clientSecret } = await createService(org, 'robot', '--require-dpop');
  app = { ...created, clientSecret: clientSecret! };
  token = await newToken();
});

const request = (dpop: string | string[] | undefined, gateway = 0) =>
  requestToken(stack, app, 'issued:read', { gateway, headers: dpop === undefined ? {} : { dpop } });
const tokenProof = (claims: object = {}, by = key, htm = 'POST', htu = tokenAddress()) => proofOf(by, htm, htu, claims);
const apiProof = (claims: object = {}, by = key, htm = 'GET', htu = address()) =>
  proofOf(by, htm, htu, { ...ofToken(token), ...claims });

async function newToken(by = key): Promise<string> {
  const { status, body } = await request(await tokenProof({}, by));
  if (status !== 200) throw new Error(`no token: ${status} ${body.error}`);
  return body.access_token;
}

const list = (headers: Record<string, string | string[]>, gateway = 0) =>
  exchange<Problem>({ origin: stack.gateways[gateway]!, path: path(), headers });
const use = (dpop: string, gateway = 0, of = token) => list({ authorization: `DPoP ${of}`, dpop }, gateway);

describe('the token endpoint', () => {
  it('binds the token to the key of the proof', async () => {
    const { body } = await request(await tokenProof());
    expect(body.token_type).toBe('DPoP');
    expect(claimsOf(body.access_token)).toMatchObject({ cnf: { jkt: await calculateJwkThumbprint(key.publicJwk) } });
  });

  it('refuses an app that requires DPoP without a proof, and a proof that is wrong', async () => {
    const other = await newKey('ES256');
    const wrong: (string | string[] | undefined)[] = [
      undefined,
      'nonsense',
      [await tokenProof(), await tokenProof()],
      await tokenProof({}, key, 'GET'),
      await tokenProof({}, key, 'POST', 'https://attacker.example/oauth2/token'),
      await tokenProof({}, key, 'POST', `${stack.baseUrl}/o/${org}/token`),
      await tokenProof({ jti: undefined }),
      await tokenProof({ iat: undefined }),
      await tokenProof({}, { ...key, privateKey: other.privateKey }),
    ];
    for (const dpop of wrong) {
      const { status, body } = await request(dpop);
      expect([status, body.error, body.access_token]).toEqual([400, 'invalid_dpop_proof', undefined]);
    }
  });

  it('gives a nonce to a client whose proof is too old, and accepts it with the nonce', async () => {
    for (const claims of [{ iat: nowSeconds() - 600 }, { iat: nowSeconds() + 600 }, { nonce: 'made-up' }]) {
      const { status, body, headers } = await request(await tokenProof(claims));
      expect([status, body.error]).toEqual([400, 'use_dpop_nonce']);
      const retried = await request(await tokenProof({ ...claims, nonce: headers['dpop-nonce'] }), 1);
      expect(retried.status).toBe(200);
    }
  });

  it('accepts a proof once, however many requests at all gateways race', async () => {
    const used = await tokenProof();
    const results = await Promise.all(Array.from({ length: 10 }, (_, i) => request(used, i % stack.gateways.length)));
    expect(results.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(400)]);
  });
});

describe('a token that is bound to a key', () => {
  it('is refused without a proof, as bearer token, and with a proof of another key', async () => {
    const other = await newKey('ES256');
    const cases: [Record<string, string | string[]>, string][] = [
      [{ authorization: `Bearer ${token}` }, 'invalid_token'],
      [{ authorization: `Bearer ${token}`, dpop: await apiProof() }, 'invalid_token'],
      [{ authorization: `DPoP ${token}` }, 'invalid_dpop_proof'],
      [{ authorization: `DPoP ${token}`, dpop: [await apiProof(), await apiProof()] }, 'invalid_dpop_proof'],
      [{ authorization: `DPoP ${token}`, dpop: await apiProof({}, other) }, 'invalid_token'],
      [
        { authorization: `DPoP ${token}`, dpop: await apiProof({}, { ...key, privateKey: other.privateKey }) },
        'invalid_dpop_proof',
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
      [await apiProof({}, key, 'POST'), 'invalid_dpop_proof', /htm/],
      [await apiProof({}, key, 'GET', `${stack.baseUrl}/o/${org}/api/credentials`), 'invalid_dpop_proof', /htu/],
      [await apiProof({}, key, 'GET', `https://attacker.example${path()}`), 'invalid_dpop_proof', /htu/],
      [await apiProof({ ath: ofToken('another').ath }), 'invalid_dpop_proof', /ath/],
      [await apiProof({ ath: undefined }), 'invalid_dpop_proof', /ath/],
      [await apiProof({ iat: nowSeconds() - 600 }), 'use_dpop_nonce', /iat/],
      [await apiProof({ iat: nowSeconds() + 600 }), 'use_dpop_nonce', /iat/],
      [await apiProof({ nonce: 'made-up' }), 'use_dpop_nonce', /nonce/],
    ];
    for (const [dpop, code, detail] of cases) {
      const { status, body } = await list({ authorization: `DPoP ${token}`, dpop, host: 'attacker.example' });
      expect([status, body.code]).toEqual([401, code]);
      expect(body.detail).toMatch(detail);
    }
  });

  it('is accepted with the nonce of any gateway, whatever the clock of the client says', async () => {
    const late = await use(await apiProof({ iat: nowSeconds() - 600 }));
    expect(late).toMatchObject({ status: 401, body: { code: 'use_dpop_nonce' } });
    const first = await use(await apiProof());
    for (const nonce of [first.headers['dpop-nonce'], late.headers['dpop-nonce']])
      for (const gateway of stack.gateways.keys())
        expect((await use(await apiProof({ iat: nowSeconds() - 600, nonce }), gateway)).status).toBe(200);
  });

  it('excludes bearer tokens under its scheme', async () => {
    const { app: other, clientSecret } = await createService(org, 'bearer');
    const { body } = await requestToken(stack, { ...other, clientSecret: clientSecret! }, 'issued:read');
    const bearer = body.access_token;
    expect((await list({ authorization: `Bearer ${bearer}` })).status).toBe(200);
    const dpop = await proofOf(key, 'GET', address(), ofToken(bearer));
    expect(await use(dpop, 0, bearer)).toMatchObject({ status: 401, body: { code: 'invalid_token' } });
  });
});

describe('a proof', () => {
  it('that was used at one gateway is refused at every gateway, with and without a nonce', async () => {
    const { headers } = await use(await apiProof());
    for (const claims of [{}, { nonce: headers['dpop-nonce'] }]) {
      const used = await apiProof(claims);
      expect((await use(used, 0)).status).toBe(200);
      for (const gateway of stack.gateways.keys())
        expect(await use(used, gateway)).toMatchObject({
          status: 401,
          body: { code: 'invalid_dpop_proof', detail: expect.stringContaining('used before') },
        });
    }
  });

  it('is accepted once, however many requests at all gateways race, and not with another token', async () => {
    const jti = randomUUID();
    const used = await apiProof({ jti });
    const results = await Promise.all(Array.from({ length: 20 }, (_, i) => use(used, i % stack.gateways.length)));
    expect(results.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(401)]);
    const second = await newToken();
    const again = await proofOf(key, 'GET', address(), { ...ofToken(second), jti });
    expect(await use(again, 1, second)).toMatchObject({ status: 401, body: { code: 'invalid_dpop_proof' } });
    // Another key may have used the same jti.
    const [otherKey, other] = await newKey('ES256').then(async (made) => [made, await newToken(made)] as const);
    expect((await use(await proofOf(otherKey, 'GET', address(), { ...ofToken(other), jti }), 1, other)).status).toBe(
      200,
    );
  });

  describe('that cannot be checked', () => {
    const replicas = ['auth-1', 'auth-2'];
    afterEach(async () => {
      for (const replica of replicas) await stack.control('start', replica);
      await eventually(async () => (await use(await apiProof())).status === 200);
    });

    it('is 503 at once while auth is stopped, and bearer tokens work', async () => {
      const { app: other, clientSecret } = await createService(org, `bearer ${randomUUID()}`);
      const { body } = await requestToken(stack, { ...other, clientSecret: clientSecret! }, 'issued:read');
      for (const replica of replicas) await stack.control('stop', replica);
      for (const gateway of stack.gateways.keys()) {
        const { status, body: problem, headers } = await use(await apiProof(), gateway);
        expect([status, problem.code]).toEqual([503, 'unavailable']);
        expect(headers['retry-after']).toBeDefined();
        expect((await list({ authorization: `Bearer ${body.access_token}` }, gateway)).status).toBe(200);
      }
    });
  });
});
