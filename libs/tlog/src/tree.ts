import { createHash } from 'node:crypto';

/** RFC 9162 §2.1.1: SHA-256(0x00 ‖ entry). */
export function leafHash(entry: Uint8Array): Buffer {
  return createHash('sha256').update('\0').update(entry).digest();
}

/** RFC 9162 §2.1.1: SHA-256(0x01 ‖ left ‖ right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update('\x01').update(left).update(right).digest();
}
