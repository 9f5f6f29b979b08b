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

interface Given {
  claims?: Record<string, unknown>;
  typ?: string;
  key?: CryptoKey;
}

function token({ claims = {}, typ = 'logout+jwt', key = privateKey }: Given = {}): Promise<string> {
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

test('says whose session ended', async () => {
  expect(await logout.take(await token())).toEqual({ issuer, subject: 'customer', sid: 'session' });
  expect(await logout.take(await token({ claims: { sid: undefined } }))).toEqual({ issuer, subject: 'customer' });
  expect(await logout.take(await token({ claims: { sub: undefined } }))).toEqual({ issuer, sid: 'session' });
});

test('counts once', async () => {
  const once = await token();
  expect(await logout.take(once)).toBeDefined();
  expect(await logout.take(once)).toBeUndefined();
});

describe('is not believed', () => {
  const past = Math.floor(Date.now() / 1000) - 1000;
  const faults: [string, Given][] = [
    ['of another issuer', { claims: { iss: 'http://localhost:8080/o/globex' } }],
    ['for another app', { claims: { aud: 'app_2' } }],
    ['out of date', { claims: { iat: past, exp: past + 120 } }],
    ['old, though it says it lives long', { claims: { iat: past, exp: past + 9000 } }],
    ['without an end', { claims: { exp: undefined } }],
    ['without a name of its own', { claims: { jti: undefined } }],
    ['an ID token', { typ: 'JWT' }],
    ['with a nonce', { claims: { nonce: 'n' } }],
    ['of another event', { claims: { events: { 'https://example.com': {} } } }],
    ['without an event', { claims: { events: undefined } }],
    ['about nobody', { claims: { sub: undefined, sid: undefined } }],
  ];
  test.each(faults)('%s', async (_, given) => expect(await logout.take(await token(given))).toBeUndefined());

  test('with another signature, or none, or not a token at all', async () => {
    const [head, body] = (await token()).split('.');
    for (const wrong of [
      await token({ key: otherKey }),
      `${Buffer.from('{"alg":"none","typ":"logout+jwt"}').toString('base64url')}.${body}.`,
      `${head}.${body}.`,
      'x',
      '',
    ])
      expect(await logout.take(wrong)).toBeUndefined();
  });
});
