import { generateKeyPairSync, hash, randomUUID, sign, type KeyObject } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { calculateJwkThumbprint, SignJWT, UnsecuredJWT, type JWK } from 'jose';
import type { AccessTokenClaims, ReplyOf, RequestOf, useProof } from '@holdfast/contracts';
import { UncertainError, type Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { FakeClock } from '@holdfast/testing';
import { DpopError, problemHeaders } from '../edge/problems/problem.js';
import { newRequestContext } from '../edge/request-context.js';
import { DpopProofs } from './dpop-proofs.js';

const baseUrl = 'https://id.example';
const address = `${baseUrl}/o/acme/api/admin/apps`;
const token = 'eyJ.the.token';
const clock = new FakeClock();
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwkOf = (key: KeyObject) => key.export({ format: 'jwk' }) as JWK;
const config = { BASE_URL: baseUrl, PAGE_TOKEN_KEY: Buffer.alloc(32, 1) };
/** The proofs that auth has stored for all gateways. */
let stored: RequestOf<typeof useProof>[];
let failure: Error | undefined;
const bus = {
  request: (_: unknown, input: RequestOf<typeof useProof>): Promise<ReplyOf<typeof useProof>> => {
    if (failure) return Promise.reject(failure);
    const first = !stored.some(({ proof: used }) => used === input.proof);
    if (first) stored.push(input);
    return Promise.resolve({ first });
  },
} as unknown as Bus;
let proofs: DpopProofs;
let bound: AccessTokenClaims;

beforeEach(async () => {
  clock.set('2026-11-21T09:30:00.000Z');
  [stored, failure] = [[], undefined];
  proofs = new DpopProofs(config, clock, bus);
  bound = {
    client_id: 'app_1',
    org: 'acme',
    cnf: { jkt: await calculateJwkThumbprint(jwkOf(pair.publicKey)) },
  } as AccessTokenClaims;
});

const seconds = () => Math.floor(clock.now().getTime() / 1000);
const validClaims = () => ({
  htm: 'GET',
  htu: address,
  jti: randomUUID(),
  iat: seconds(),
  ath: hash('sha256', token, 'base64url'),
});
const proof = (claims: object = {}, header: object = {}, key = pair.privateKey) =>
  new SignJWT({ ...validClaims(), ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: jwkOf(pair.publicKey), ...header })
    .sign(key);

function requestWith(...sent: string[]): FastifyRequest {
  const rawHeaders = ['Host', 'attacker.example', ...sent.flatMap((value) => ['DPoP', value])];
  return {
    method: 'GET',
    raw: { rawHeaders, url: '/o/acme/api/admin/apps?limit=1' },
    routeOptions: { url: '/o/:shortId/api/admin/apps' },
    requestContext: { ...newRequestContext({ headers: {}, ip: '' }), claims: bound },
  } as unknown as FastifyRequest;
}
const verify = (request: FastifyRequest, claims = bound, scheme: 'bearer' | 'dpop' = 'dpop') =>
  proofs.verify(request, { scheme, token }, claims);
async function use(request: FastifyRequest, by = proofs): Promise<string | undefined> {
  let nonce: string | undefined;
  const reply = { header: (_: string, value: string) => void (nonce = value) } as unknown as FastifyReply;
  await by.useOnce(request, reply);
  return nonce;
}
const failureOf = async (work: Promise<unknown>) => work.then(() => undefined).catch((error: DpopError) => error);

describe('a token that is bound to a key', () => {
  it('is accepted with a proof of the key for method, address and token', async () => {
    const request = requestWith(await proof());
    await verify(request);
    expect(await use(request)).toMatch(/^[\w-]{43}$/);
    await verify(requestWith(await proof({ htu: `${address}?limit=1#x` })));
    await verify(requestWith(await proof({ htu: 'https://ID.example:443/o/acme/api/admin/apps' })));
  });

  it.each<[string, object, string]>([
    ['another method', { htm: 'POST' }, 'htm'],
    ['another case of the method', { htm: 'get' }, 'htm'],
    ['another path', { htu: `${baseUrl}/o/acme/api/admin` }, 'htu'],
    ['the host of the Host header', { htu: 'https://attacker.example/o/acme/api/admin/apps' }, 'htu'],
    ['http', { htu: 'http://id.example/o/acme/api/admin/apps' }, 'htu'],
    ['no address', { htu: 'nothing' }, 'htu'],
    ['another token', { ath: hash('sha256', 'another', 'base64url') }, 'ath'],
    ['no hash of the token', { ath: undefined }, 'ath'],
    ['no jti', { jti: undefined }, 'jti'],
    ['a very long jti', { jti: 'x'.repeat(201) }, 'jti'],
    ['a jti that is a number', { jti: 1 }, 'jti'],
    ['no time', { iat: undefined }, 'iat'],
    ['a time that is text', { iat: '1' }, 'iat'],
    ['a past exp', { exp: 1_700_000_000 }, 'expired'],
    ['an exp that is text', { exp: 'x' }, 'exp'],
    ['a time from which it is valid, in the future', { nbf: 4_000_000_000 }, 'nbf'],
    ['a nonce that is no text', { nonce: 5 }, 'nonce'],
  ])('is refused with a proof for %s', async (_, claims, detail) => {
    expect(await failureOf(verify(requestWith(await proof(claims))))).toMatchObject({
      code: 'invalid_dpop_proof',
      detail: expect.stringContaining(detail),
    });
  });

  it('is refused without a proof, with two, and with one that is not signed by the key in it', async () => {
    const own = await proof();
    const unsigned = new UnsecuredJWT(validClaims()).encode();
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
    const cases = [
      [],
      [own, own],
      ['nonsense'],
      [''],
      [unsigned],
      [await proof({}, {}, other.privateKey)],
      [await proof({}, { typ: 'JWT' })],
      [await proof({}, { typ: undefined })],
      [await proof({}, { jwk: undefined })],
      [await proof({}, { jwk: jwkOf(pair.privateKey) })],
      [await proof({}, { jwk: jwkOf(rsa) })],
      [`${'x'.repeat(8193)}`],
    ];
    for (const sent of cases)
      expect(await failureOf(verify(requestWith(...sent)))).toMatchObject({ code: 'invalid_dpop_proof' });
    const symmetric = await new SignJWT(validClaims())
      .setProtectedHeader({ alg: 'HS256', typ: 'dpop+jwt', jwk: jwkOf(pair.publicKey) })
      .sign(Buffer.from(JSON.stringify(jwkOf(pair.publicKey))));
    expect(await failureOf(verify(requestWith(symmetric)))).toMatchObject({ code: 'invalid_dpop_proof' });
  });

  it.each<[string, object]>([
    ['an unencoded payload (RFC 7797)', { b64: false, crit: ['b64'] }],
    ['b64 without crit', { b64: false }],
    ['an unknown extension', { crit: ['x'], x: 1 }],
  ])('is refused with a proof whose header has %s', async (_, extension) => {
    // The payload is raw JSON or base64url: both verifiers of the one text and readers of the other find valid claims.
    const text = JSON.stringify(validClaims()).replaceAll('.', '\\u002e');
    for (const payload of [text, Buffer.from(text).toString('base64url')]) {
      const header = { alg: 'ES256', typ: 'dpop+jwt', jwk: jwkOf(pair.publicKey), ...extension };
      const input = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}`;
      const signature = sign('sha256', Buffer.from(input), { key: pair.privateKey, dsaEncoding: 'ieee-p1363' });
      expect(await failureOf(verify(requestWith(`${input}.${signature.toString('base64url')}`)))).toMatchObject({
        code: 'invalid_dpop_proof',
        detail: expect.stringContaining('crit'),
      });
    }
  });

  it('is refused with a proof of another key', async () => {
    const stolen = await proof({}, { jwk: jwkOf(other.publicKey) }, other.privateKey);
    expect(await failureOf(verify(requestWith(stolen)))).toMatchObject({ code: 'invalid_token' });
  });

  it('is refused as bearer token, and a bearer token as DPoP', async () => {
    const error = await failureOf(verify(requestWith(await proof()), bound, 'bearer'));
    expect(error).toMatchObject({ code: 'invalid_token', status: 401 });
    expect(problemHeaders(error!, baseUrl)['www-authenticate']).toBe(
      `DPoP realm="${baseUrl}", error="invalid_token", algs="EdDSA Ed25519 ES256 PS256 RS256", ` +
        `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`,
    );
    const bearer = { client_id: 'app_1' } as AccessTokenClaims;
    expect(await failureOf(verify(requestWith(await proof()), bearer))).toMatchObject({ code: 'invalid_token' });
    await verify(requestWith(), bearer, 'bearer');
  });
});

describe('a proof', () => {
  it('is accepted once on all replicas, however many requests race', async () => {
    const sent = await proof();
    const replicas = [proofs, new DpopProofs(config, clock, bus)];
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, async (_, i) => {
        const replica = replicas[i % 2]!;
        const request = requestWith(sent);
        await replica.verify(request, { scheme: 'dpop', token }, bound);
        await use(request, replica);
      }),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.map(({ reason }) => (reason as DpopError).code)).toEqual(
      Array<string>(5).fill('invalid_dpop_proof'),
    );
  });

  it('is stored without its content, for as long as it could be accepted', async () => {
    const request = requestWith(await proof({ jti: 'number-1' }));
    await verify(request);
    const nonce = await use(request);
    const withNonce = requestWith(await proof({ jti: 'number-2', nonce }));
    await verify(withNonce);
    await use(withNonce);
    expect(stored).toEqual([
      { proof: expect.stringMatching(/^[\w-]{43}$/), seconds: 70 },
      { proof: expect.stringMatching(/^[\w-]{43}$/), seconds: 180 },
    ]);
  });

  it.each([
    new AppError('unavailable', 'auth is not running'),
    new UncertainError('unavailable', 'auth did not answer in time'),
  ])('is refused with 503 when it cannot be stored (%s), and the request counts as not begun', async (cause) => {
    failure = cause;
    const request = requestWith(await proof());
    await verify(request);
    const thrown = await failureOf(use(request));
    expect(thrown).toMatchObject({ code: 'unavailable', status: 503, detail: cause.detail });
    expect(thrown).not.toBeInstanceOf(UncertainError);
  });

  it('is not asked for, nor anything stored, with a bearer token', async () => {
    const request = requestWith();
    await verify(request, { client_id: 'app_1' } as AccessTokenClaims, 'bearer');
    expect(await use(request)).toBeUndefined();
    expect(stored).toEqual([]);
  });

  it.each([-61, 11])('of %i s from now needs a nonce, which the response has, and is accepted with it', async (s) => {
    const error = await failureOf(verify(requestWith(await proof({ iat: seconds() + s }))));
    expect(error).toMatchObject({ code: 'use_dpop_nonce' });
    const { 'dpop-nonce': nonce } = problemHeaders(error!, baseUrl);
    await verify(requestWith(await proof({ iat: seconds() + s, nonce })));
  });

  it('is accepted with a nonce for two to three minutes, on each replica, and the response has the next', async () => {
    const request = requestWith(await proof());
    await new DpopProofs(config, clock, bus).verify(request, { scheme: 'dpop', token }, bound);
    await verify(request);
    const nonce = (await use(request))!;
    const withNonce = requestWith(await proof({ nonce }));
    await verify(withNonce);
    expect(await use(withNonce)).toBeUndefined();
    clock.advance(120_000);
    const later = requestWith(await proof({ nonce }));
    await verify(later);
    expect(await use(later)).not.toBe(nonce);
    clock.advance(60_000);
    for (const expired of [nonce, 'made-up'])
      expect(await failureOf(verify(requestWith(await proof({ nonce: expired }))))).toMatchObject({
        code: 'use_dpop_nonce',
      });
  });
});
