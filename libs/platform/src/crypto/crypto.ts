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

/** The current key, with which everything new is made, and the other one during a rotation, which is accepted too. */
export type Keys = readonly [current: Buffer, ...others: Buffer[]];

/** `previous` is the other key of a rotation: the next one before the change, the earlier one after it. */
export function keysOf(current: Buffer, previous: Buffer | undefined): Keys {
  return previous ? [current, previous] : [current];
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

/** Reverses seal(). Throws when every key, the context or a single bit is wrong. */
export function unseal(key: Buffer | Keys, sealed: Buffer, context: string): Buffer {
  if (Buffer.isBuffer(key)) return unsealWith(key, sealed, context);
  for (const [i, one] of key.entries()) {
    try {
      return unsealWith(one, sealed, context);
    } catch (error) {
      if (i === key.length - 1) throw error;
    }
  }
  throw new Error('there is no key');
}

function unsealWith(key: Buffer, sealed: Buffer, context: string): Buffer {
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

/** The same for an organization that was deleted; no customer has an empty identifier. */
export function organizationKey(org: string): Buffer {
  return customerKey(org, '');
}
