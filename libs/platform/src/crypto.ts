import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';

/** SHA-256. */
export function sha256(data: string | Buffer): Buffer {
  return hash('sha256', data, 'buffer');
}

const keyObjects = new WeakMap<Buffer, KeyObject>();

/** Node.js would create a key object of a Buffer at every use, which costs four times the HMAC or cipher itself. */
function keyOf(bytes: Buffer): KeyObject {
  let key = keyObjects.get(bytes);
  if (!key) keyObjects.set(bytes, (key = createSecretKey(bytes)));
  return key;
}

/**
 * HMAC-SHA256 with the pepper, for storing 256-bit random secrets. They cannot be guessed, so a slow hash would add
 * nothing. The pepper makes a stolen table useless.
 */
export function keyedHash(pepper: Buffer, secret: string): Buffer {
  return createHmac('sha256', keyOf(pepper)).update(secret).digest();
}

/** Compares in constant time. Buffers of different length are unequal. */
export function equal(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * AES-256-GCM with a random 96-bit nonce, as nonce ‖ tag ‖ ciphertext. `context` is authenticated with it, so that a
 * value cannot be moved to another row or purpose.
 */
export function seal(key: Buffer, plaintext: string | Buffer, context: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(key), nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Reverses seal(). Throws when the key, the context or a single bit is wrong. */
export function unseal(key: Buffer, sealed: Buffer, context: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(key), sealed.subarray(0, 12)).setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(12, 28));
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
}

/**
 * Identifies a customer in rows that outlive their erasure (tombstones, watermarks, the erasure ledger). The identifier
 * has 122 random bits, so the hash cannot be reversed by trying.
 */
export function customerKey(org: string, subject: string): Buffer {
  return sha256(`${org}/${subject}`);
}
