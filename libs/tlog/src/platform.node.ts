import { isUtf8 } from 'node:buffer';
import { createHash, createPublicKey, hash, verify, type KeyObject } from 'node:crypto';

/**
 * Hashes, signatures and encodings by Node.js. platform.browser.ts has the same for browsers; package.json chooses one
 * by the condition `browser`. Everything else in this library uses bytes as Uint8Array, and runs in both.
 */

/** What this library returns: in Node.js a Buffer. */
export type Bytes = Buffer;

// A log may have millions of entries, and one-shot hashing into a string costs a quarter of createHash().
export const sha256 = (bytes: Uint8Array): Bytes => Buffer.from(hash('sha256', bytes, 'binary'), 'binary');

/** SHA-256 in base64url. */
export const sha256Base64url = (bytes: Uint8Array): string => hash('sha256', bytes, 'base64url');

/** SHA-256 of a stream. */
export class Sha256 {
  private readonly hash = createHash('sha256');

  update(bytes: Uint8Array): void {
    this.hash.update(bytes);
  }

  /** Of what came so far; more may follow. */
  digest(): Bytes {
    return this.hash.copy().digest();
  }
}

/** A key is parsed once, however many signatures it verifies. */
const parsedKeys = new WeakMap<Uint8Array, KeyObject>();

/** Ed25519 (RFC 8032). @param publicKey its 32 bytes */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  let key = parsedKeys.get(publicKey);
  if (!key) {
    key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: base64urlOf(publicKey) } });
    parsedKeys.set(publicKey, key);
  }
  return verify(null, message, key, signature);
}

export const allocate = (size: number): Bytes => Buffer.alloc(size);
export const copyOf = (bytes: Uint8Array): Bytes => Buffer.from(bytes);
export const concat = (parts: readonly Uint8Array[]): Bytes => Buffer.concat(parts);
export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

export const utf8Of = (text: string): Bytes => Buffer.from(text);
/** Bytes that are not UTF-8 become U+FFFD. */
export const textOf = (utf8: Uint8Array): string => bufferOf(utf8).toString();
/** @returns undefined when the bytes are not UTF-8 */
export const textOfUtf8 = (bytes: Uint8Array): string | undefined => (isUtf8(bytes) ? textOf(bytes) : undefined);

export const hexOf = (bytes: Uint8Array): string => bufferOf(bytes).toString('hex');
export const base64Of = (bytes: Uint8Array): string => bufferOf(bytes).toString('base64');
export const base64urlOf = (bytes: Uint8Array): string => bufferOf(bytes).toString('base64url');

/** @returns undefined when it is not standard base64 with padding, in canonical form (RFC 4648 §3.5) */
export function bytesOfBase64(text: string): Bytes | undefined {
  const bytes = Buffer.from(text, 'base64');
  // Node.js skips other characters, which shows in the length or the end, and reads base64url as well. Encoding all
  // bytes again would cost as much as the hash of an entry.
  // It takes the low byte of characters outside of Latin-1 for a character of base64.
  const canonical =
    text.length === 4 * Math.ceil(bytes.length / 3) &&
    Buffer.byteLength(text) === text.length &&
    text.endsWith(bytes.toString('base64', 3 * Math.floor((bytes.length - 1) / 3))) &&
    !text.includes('-') &&
    !text.includes('_');
  return canonical ? bytes : undefined;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
