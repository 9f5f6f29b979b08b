import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, type JWK } from 'jose';

const generate = promisify(generateKeyPair);

/** A private key in the form that oidc-provider expects. */
export type SigningKey = JWK & { kid: string; alg: string };
export type SigningAlg = 'EdDSA' | 'RS256' | 'ES256';

/** Generated in the thread pool, since an RSA key takes tens of milliseconds. Its id is its thumbprint (RFC 7638). */
export async function newSigningKey(alg: SigningAlg): Promise<SigningKey> {
  const jwk = (await pairOf(alg)).privateKey.export({ format: 'jwk' }) as JWK;
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg, use: 'sig' };
}

function pairOf(alg: SigningAlg) {
  if (alg === 'RS256') return generate('rsa', { modulusLength: 2048 });
  // Ed25519 signs fastest, and only our own gateway verifies these tokens.
  return alg === 'ES256' ? generate('ec', { namedCurve: 'P-256' }) : generate('ed25519');
}
