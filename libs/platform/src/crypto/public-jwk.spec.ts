import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { checkPublicJwk } from './public-jwk.js';

const ed25519 = generateKeyPairSync('ed25519');
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwkOf = ({ publicKey }: { publicKey: typeof rsa.publicKey }) => publicKey.export({ format: 'jwk' }) as JWK;
const issueOf = (key: object) => (checkPublicJwk(key as Record<string, unknown>) as { issue?: string }).issue;

describe('checkPublicJwk', () => {
  it.each([
    ['Ed25519', ed25519, 'EdDSA'],
    ['P-256', p256, 'ES256'],
    ['RSA', rsa, 'PS256'],
  ])('accepts a public %s key and names it by its thumbprint', async (_, pair, alg) => {
    const key = jwkOf(pair);
    expect(checkPublicJwk({ ...key, kid: 'k1', alg, use: 'sig', x5t: 'ignored' })).toEqual({
      key: { ...key, kid: 'k1', alg },
      id: `key_${await calculateJwkThumbprint(key)}`,
    });
  });

  it('refuses a private key by naming the member, without its value', () => {
    for (const { privateKey } of [ed25519, p256, rsa]) {
      const key = privateKey.export({ format: 'jwk' });
      expect(issueOf(key)).toMatch(/^has the member "\w+" of a secret key; register the public key alone$/);
      expect(issueOf(key)).not.toContain(key.d);
    }
  });

  it('refuses symmetric, weak, unknown and broken keys, and keys for another use', () => {
    const weak = jwkOf(generateKeyPairSync('rsa', { modulusLength: 1024 }));
    const exponent3 = jwkOf(generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }));
    const cases: [object, RegExp][] = [
      [{ kty: 'oct', k: 'c2VjcmV0' }, /secret key/],
      [{ kty: 'oct' }, /secret key/],
      [weak, /2048 to 4096 bits/],
      [exponent3, /exponent/],
      [jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-384' })), /Ed25519, P-256 or RSA/],
      [jwkOf(generateKeyPairSync('x25519')), /Ed25519, P-256 or RSA/],
      [{}, /Ed25519, P-256 or RSA/],
      [{ ...jwkOf(p256), y: jwkOf(p256).x }, /not a valid P-256 key/],
      [{ ...jwkOf(ed25519), x: 'AAAA' }, /not a valid Ed25519 key/],
      [{ ...jwkOf(rsa), n: 5 }, /not a valid RSA key/],
      [{ ...jwkOf(rsa), alg: 'HS256' }, /alg/],
      [{ ...jwkOf(rsa), alg: 'none' }, /alg/],
      [{ ...jwkOf(p256), use: 'enc' }, /use/],
      [{ ...jwkOf(p256), key_ops: ['encrypt'] }, /key_ops/],
      [{ ...jwkOf(p256), kid: '' }, /kid/],
    ];
    for (const [key, issue] of cases) expect(issueOf(key)).toMatch(issue);
  });

  it('reads no member from the prototype of a key', () => {
    expect(issueOf(JSON.parse('{"__proto__":{"kty":"OKP"}}') as object)).toMatch(/Ed25519/);
  });
});
