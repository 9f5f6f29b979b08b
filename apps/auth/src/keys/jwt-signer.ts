import { createPrivateKey, sign, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { SigningKey } from './key-pair.js';

interface Prepared {
  /** Encoded. */
  header: string;
  privateKey: KeyObject;
}

const prepared = new WeakMap<SigningKey, Prepared>();

/**
 * An access token (RFC 9068 §2.1) with these claims, signed by one of the platform's keys in this thread: a change of
 * threads takes longer than the 23 µs of an Ed25519 signature, and parsing the key for each signature even longer.
 */
export function signAccessToken(key: SigningKey, claims: object): string {
  let known = prepared.get(key);
  if (!known) prepared.set(key, (known = prepare(key)));
  const signed = `${known.header}.${encode(claims)}`;
  // Ed25519 determines its hash itself (RFC 8032).
  return `${signed}.${sign(null, Buffer.from(signed), known.privateKey).toString('base64url')}`;
}

function prepare(key: SigningKey): Prepared {
  const header = encode({ alg: key.alg, typ: 'at+jwt', kid: key.kid });
  return { header, privateKey: createPrivateKey({ key: key as JsonWebKey, format: 'jwk' }) };
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
