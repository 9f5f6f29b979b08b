import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 as hash } from '@noble/hashes/sha2.js';

/**
 * The same as platform.node.ts, for browsers. WebCrypto has no synchronous SHA-256, and a call that returns a promise
 * costs ten times the hash of an entry; its Ed25519 is newer than the browsers that the pages support.
 */

/** What this library returns. */
export type Bytes = Uint8Array;

export const sha256 = (bytes: Uint8Array): Bytes => hash(bytes);

/** SHA-256 in base64url. */
export const sha256Base64url = (bytes: Uint8Array): string => base64urlOf(hash(bytes));

/** SHA-256 of a stream. */
export class Sha256 {
  private readonly hash = hash.create();

  update(bytes: Uint8Array): void {
    this.hash.update(bytes);
  }

  /** Of what came so far; more may follow. */
  digest(): Bytes {
    return this.hash.clone().digest();
  }
}

/** Ed25519 (RFC 8032). @param publicKey its 32 bytes */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  // RFC 8032, as OpenSSL verifies; the default, ZIP 215, accepts some encodings that OpenSSL refuses.
  return signature.length === 64 && ed25519.verify(signature, message, publicKey, { zip215: false });
}

export const allocate = (size: number): Bytes => new Uint8Array(size);
export const copyOf = (bytes: Uint8Array): Bytes => bytes.slice();

export function concat(parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

const encoder = new TextEncoder();
// As Node.js decodes: a byte order mark is a character.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const strictDecoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

export const utf8Of = (text: string): Bytes => encoder.encode(text);
/** Bytes that are not UTF-8 become U+FFFD. */
export const textOf = (utf8: Uint8Array): string => decoder.decode(utf8);
/** @returns undefined when the bytes are not UTF-8 */
export function textOfUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

export const base64urlOf = (bytes: Uint8Array): string =>
  base64Of(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** @returns undefined when it is not standard base64 with padding, in canonical form (RFC 4648 §3.5) */
export function bytesOfBase64(text: string): Bytes | undefined {
  try {
    const binary = atob(text);
    // atob ignores white space, missing padding and superfluous bits.
    if (btoa(binary) !== text) return undefined;
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
  } catch {
    return undefined;
  }
}
