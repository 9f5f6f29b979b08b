import { beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { BackChannelLogout } from './back-channel-logout.ts';

const issuer = 'http://localhost:8080/o/acme';
const event = 'http://schemas.openid.net/event/backchannel-logout';
let privateKey: CryptoKey;
let otherKey: CryptoKey;
let logout: BackChannelLogout;
let ids = 0;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  privateKey = pair.privateKey;
  otherKey = (await generateKeyPair('ES256')).privateKey;
  const keys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }] };
  jest
    .spyOn(globalThis, 'fetch')
    .mockImplementation(
      async () => new Response(JSON.stringify(keys), { headers: { 'content-type': 'application/json' } }),
    );
});
beforeEach(() => {
  logout = new BackChannelLogout({ issuer, clientId: 'app_1' }, async () => new URL(`${issuer}/jwks`));
});

interface TokenOptions {
  claims?: Record<string, unknown>;
  typ?: string;
  key?: CryptoKey;
}

function token({ claims = {}, typ = 'logout+jwt', key = privateKey }: TokenOptions = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const payload = {
    iss: issuer,
    aud: 'app_1',
    sub: 'customer',
    sid: 'session',
    iat: now,
    exp: now + 120,
    jti: `j${(ids += 1)}`,
    events: { [event]: {} },
    ...claims,
  };
  return new SignJWT(Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined)))
    .setProtectedHeader({ alg: 'ES256', kid: 'k', typ })
    .sign(key);
}

test('verify returns the issuer, subject and sid of a valid token', async () => {
  expect(await logout.verify(await token())).toEqual({ issuer, subject: 'customer', sid: 'session' });
  expect(await logout.verify(await token({ claims: { sid: undefined } }))).toEqual({ issuer, subject: 'customer' });
  expect(await logout.verify(await token({ claims: { sub: undefined } }))).toEqual({ issuer, sid: 'session' });
});

test('verify returns undefined for a token that was verified before', async () => {
  const once = await token();
  expect(await logout.verify(once)).toBeDefined();
  expect(await logout.verify(once)).toBeUndefined();
});

describe('verify returns undefined for a token', () => {
  const past = Math.floor(Date.now() / 1000) - 1000;
  const invalid: [string, TokenOptions][] = [
    ['of another issuer', { claims: { iss: 'http://localhost:8080/o/globex' } }],
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
  ];
  test.each(invalid)('%s', async (_, options) => expect(await logout.verify(await token(options))).toBeUndefined());

  test('with a wrong or missing signature, and for text that is no token', async () => {
    const [header, body] = (await token()).split('.');
    for (const wrong of [
      await token({ key: otherKey }),
      `${Buffer.from('{"alg":"none","typ":"logout+jwt"}').toString('base64url')}.${body}.`,
      `${header}.${body}.`,
      'x',
      '',
    ])
      expect(await logout.verify(wrong)).toBeUndefined();
  });
});
