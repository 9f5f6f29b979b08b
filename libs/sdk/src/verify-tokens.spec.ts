import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { UnavailableError, VerificationError } from './errors.js';
import { TokenVerifier } from './verify-tokens.js';

const issuer = 'https://id.example/o/acme';
const event = 'http://schemas.openid.net/event/backchannel-logout';
let key: CryptoKey;
let otherKey: CryptoKey;
let jwks: object;
let verifier: TokenVerifier;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  key = pair.privateKey;
  otherKey = (await generateKeyPair('ES256')).privateKey;
  jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }] };
});
beforeEach(() => {
  jest.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json(jwks));
  verifier = new TokenVerifier({ issuer, clientId: 'app_1' });
});

interface Given {
  claims?: Record<string, unknown>;
  typ?: string;
  by?: CryptoKey;
}

function token({ claims = {}, typ = 'logout+jwt', by = key }: Given = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const payload = { iss: issuer, aud: 'app_1', sub: 'c', sid: 's', iat: now, exp: now + 120, jti: 'j', ...claims };
  const all = { events: { [event]: {} }, ...payload };
  return new SignJWT(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))
    .setProtectedHeader({ alg: 'ES256', kid: 'k', typ })
    .sign(by);
}

describe('a logout token', () => {
  it('names the session that has ended', async () => {
    expect(await verifier.logoutToken(await token())).toMatchObject({ issuer, subject: 'c', sid: 's', jti: 'j' });
    expect(await verifier.logoutToken(await token({ claims: { sid: undefined } }))).not.toHaveProperty('sid');
    expect(await verifier.logoutToken(await token({ claims: { sub: undefined } }))).not.toHaveProperty('subject');
  });

  const past = Math.floor(Date.now() / 1000) - 1000;
  it.each<[string, Given]>([
    ['of another issuer', { claims: { iss: 'https://id.example/o/globex' } }],
    ['for another app', { claims: { aud: 'app_2' } }],
    ['that has expired', { claims: { iat: past, exp: past + 120 } }],
    ['issued too long ago, though it has not expired', { claims: { iat: past, exp: past + 9000 } }],
    ['without exp', { claims: { exp: undefined } }],
    ['without jti', { claims: { jti: undefined } }],
    ['of type JWT, as an ID token is', { typ: 'JWT' }],
    ['with a nonce', { claims: { nonce: 'n' } }],
    ['with another event', { claims: { events: { 'https://example.com': {} } } }],
    ['without events', { claims: { events: undefined } }],
    ['without sub and sid', { claims: { sub: undefined, sid: undefined } }],
  ])('%s is refused', async (_, given) => {
    await expect(verifier.logoutToken(await token(given))).rejects.toThrow(VerificationError);
  });

  it('with a wrong signature or none is refused, and text that is no token', async () => {
    const [header, payload] = (await token()).split('.');
    const unsigned = `${Buffer.from('{"alg":"none","typ":"logout+jwt"}').toString('base64url')}.${payload}.`;
    for (const wrong of [await token({ by: otherKey }), unsigned, `${header}.${payload}.`, 'x', ''])
      await expect(verifier.logoutToken(wrong)).rejects.toThrow(VerificationError);
  });

  it('is neither accepted nor refused while the keys cannot be loaded', async () => {
    jest.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('', { status: 503 }));
    await expect(verifier.logoutToken(await token())).rejects.toThrow(UnavailableError);
  });
});

it('a security event is accepted with its type alone', async () => {
  const given = { claims: { sub_id: { format: 'opaque', id: 'c' } }, typ: 'secevent+jwt' };
  expect(await verifier.securityEvent(await token(given))).toMatchObject({ jti: 'j', sub_id: { format: 'opaque' } });
  await expect(verifier.securityEvent(await token({ ...given, typ: 'logout+jwt' }))).rejects.toThrow(VerificationError);
  await expect(verifier.logoutToken(await token(given))).rejects.toThrow(VerificationError);
  await expect(verifier.securityEvent(await token({ typ: 'secevent+jwt' }))).rejects.toThrow(VerificationError);
});
