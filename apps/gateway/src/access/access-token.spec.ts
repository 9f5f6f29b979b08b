import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { apiAudience } from '@holdfast/contracts';
import { AppError, type Clock } from '@holdfast/platform';
import { FakeClock } from '@holdfast/testing';
import type { GatewayConfig } from '../config.js';
import { AccessTokens } from './access-token.js';
import type { PlatformKeys } from './platform-keys.js';

const baseUrl = 'https://id.example';
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const clock = new FakeClock();
let tokens: AccessTokens;

beforeEach(() => {
  clock.set('2026-11-21T09:30:00.000Z');
  const keys = {
    find: (kid: string | undefined) => Promise.resolve(kid === 'platform' ? publicKey : (undefined as never)),
  } as unknown as PlatformKeys;
  tokens = new AccessTokens(keys, { BASE_URL: baseUrl } as GatewayConfig, clock);
});

const seconds = () => Math.floor(clock.now().getTime() / 1000);
const validClaims = () => ({
  iss: baseUrl,
  aud: apiAudience(baseUrl),
  sub: 'app_1',
  client_id: 'app_1',
  client_name: 'shop',
  client_version: 1,
  org: 'acme',
  scope: 'issued:read',
  jti: 'j1',
  api_version: '2026-11-01',
  iat: seconds(),
  exp: seconds() + 600,
});

function sign(claims: object, header: object = {}, key: KeyObject = privateKey): Promise<string> {
  return new SignJWT({ ...validClaims(), ...claims })
    .setProtectedHeader({ alg: 'EdDSA', kid: 'platform', typ: 'at+jwt', ...header })
    .sign(key);
}

describe('an access token signed with a platform key', () => {
  it('is accepted when its claims are those of the API', async () => {
    expect(await tokens.verify(await sign({}))).toMatchObject({ org: 'acme', client_id: 'app_1' });
  });

  it('answers unavailable while the clock of this server is wrong', async () => {
    const keys = { find: () => Promise.resolve(publicKey) } as unknown as PlatformKeys;
    const wrong: Clock = { now: () => clock.now(), trust: () => 'wrong' };
    await expect(
      new AccessTokens(keys, { BASE_URL: baseUrl } as GatewayConfig, wrong).verify(await sign({})),
    ).rejects.toMatchObject({ code: 'unavailable' });
  });

  // The signature is valid in every case, so only the check of that one claim can reject the token (RFC 9068 §4, RFC
  // 8725 §3.8 to 3.11).
  it.each<[string, object, object?]>([
    ['another audience', { aud: 'https://other.example/api' }],
    ['the issuer of an organization as audience', { aud: `${baseUrl}/o/acme` }],
    ['several audiences, one of them the API', { aud: [apiAudience(baseUrl), 'https://other.example'] }],
    ['no audience', { aud: undefined }],
    ['another issuer', { iss: 'https://other.example' }],
    ['the issuer of an organization', { iss: `${baseUrl}/o/acme` }],
    ['no issuer', { iss: undefined }],
    ['the type of an ID token', {}, { typ: 'JWT' }],
    ['the type of a logout token', {}, { typ: 'logout+jwt' }],
    ['no type', {}, { typ: undefined }],
    ['an expiration in the past', { exp: seconds() - 1 }],
    ['no expiration', { exp: undefined }],
    ['a start of validity in the future', { nbf: seconds() + 60 }],
    ['no organization', { org: undefined }],
    ['no scope', { scope: undefined }],
  ])('is refused with %s', async (_, claims, header = {}) => {
    await expect(tokens.verify(await sign(claims, header))).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('is refused once it has expired, also when it was verified a moment before', async () => {
    const token = await sign({});
    await tokens.verify(token);
    clock.advance(599_000);
    await tokens.verify(token);
    clock.advance(1_000);
    await expect(tokens.verify(token)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('is verified once, while it is kept', async () => {
    let looked = 0;
    const keys = { find: () => Promise.resolve(((looked += 1), publicKey)) } as unknown as PlatformKeys;
    const counted = new AccessTokens(keys, { BASE_URL: baseUrl } as GatewayConfig, clock);
    const token = await sign({});
    const first = await counted.verify(token);
    expect(await counted.verify(token)).toBe(first);
    expect(looked).toBe(1);
    await counted.verify(await sign({ jti: 'j2' }));
    expect(looked).toBe(2);
  });

  it('is neither accepted nor refused while the keys of the platform are not known', async () => {
    const keys = { find: () => Promise.reject(new AppError('unavailable')) } as unknown as PlatformKeys;
    const unsure = new AccessTokens(keys, { BASE_URL: baseUrl } as GatewayConfig, clock);
    await expect(unsure.verify(await sign({}))).rejects.toMatchObject({ code: 'unavailable' });
    const unknown = { find: () => Promise.reject(new AppError('invalid_token')) } as unknown as PlatformKeys;
    const sure = new AccessTokens(unknown, { BASE_URL: baseUrl } as GatewayConfig, clock);
    await expect(sure.verify(await sign({}))).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('says that it has expired, and nothing about any other fault', async () => {
    const detailOf = async (claims: object) => {
      const error: unknown = await tokens.verify(await sign(claims)).catch((e: unknown) => e);
      return (error as AppError).detail;
    };
    expect(await detailOf({ exp: seconds() - 1 })).toBe('The access token has expired.');
    expect(await detailOf({ iss: 'https://other.example' })).toBeUndefined();
  });

  it('is refused when its bytes differ from those of a verified token, in the cache as well', async () => {
    const token = await sign({});
    await tokens.verify(token);
    const [header, , signature] = token.split('.');
    const payload = Buffer.from(JSON.stringify({ ...validClaims(), org: 'globex' })).toString('base64url');
    await expect(tokens.verify(`${header}.${payload}.${signature}`)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  // 64 bytes of a signature leave four bits of its last character unused, which decoders ignore (RFC 4648 §3.5).
  it('is refused when other characters encode the same bytes', async () => {
    const token = await sign({});
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const respelled = token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1)!) + 1]!;
    expect(Buffer.from(respelled.split('.')[2]!, 'base64url')).toEqual(Buffer.from(token.split('.')[2]!, 'base64url'));
    for (const other of [respelled, `${token}=`, `${token}\n`])
      await expect(tokens.verify(other)).rejects.toMatchObject({ code: 'invalid_token' });
  });
});

it('refuses a token that another key signed', async () => {
  await expect(tokens.verify(await sign({}, {}, generateKeyPairSync('ed25519').privateKey))).rejects.toMatchObject({
    code: 'invalid_token',
  });
});
