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

const prepared = new WeakMap<Buffer, KeyObject>();

/** Node.js makes a key object of a plain key at every use, which costs four times the HMAC or cipher itself. */
function keyOf(bytes: Buffer): KeyObject {
  let key = prepared.get(bytes);
  if (!key) prepared.set(bytes, (key = createSecretKey(bytes)));
  return key;
}

/**
 * HMAC-SHA256 under the pepper: how 256-bit random secrets are stored. They cannot be guessed, so a slow hash would
 * only be slow; the pepper keeps a stolen table useless.
 */
export function keyedHash(pepper: Buffer, secret: string): Buffer {
  return createHmac('sha256', keyOf(pepper)).update(secret).digest();
}

/** Constant-time equality; unequal lengths are unequal. */
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
 * Stands for a customer where the row may outlive them (tombstones, marks, the ledger of erasures): the identifier is
 * 122 random bits, so the hash leads back to nobody.
 */
export function customerKey(org: string, subject: string): Buffer {
  return sha256(`${org}/${subject}`);
}
