import { hash } from 'node:crypto';

/** Bytes of a hash: SHA-256. */
export const hashSize = 32;

// A log may have millions of entries, and one-shot hashing into a string costs a quarter of createHash().
const sha256 = (bytes: Uint8Array): Buffer => Buffer.from(hash('sha256', bytes, 'binary'), 'binary');

let leaf = Buffer.alloc(4096);
const node = Buffer.alloc(1 + 2 * hashSize, 1);

/** RFC 9162 §2.1.1: SHA-256(0x00 ‖ entry). */
export function leafHash(entry: Uint8Array): Buffer {
  if (entry.length >= leaf.length) leaf = Buffer.alloc(2 * entry.length + 1);
  leaf.set(entry, 1);
  return sha256(leaf.subarray(0, entry.length + 1));
}

/** RFC 9162 §2.1.1: SHA-256(0x01 ‖ left ‖ right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  node.set(left, 1);
  node.set(right, 1 + hashSize);
  return sha256(node);
}

/** Root of the empty tree: SHA-256 of nothing (RFC 9162 §2.1.1). */
export const emptyRoot: Buffer = sha256(new Uint8Array());

/** Joins the hashes of adjacent subtrees, largest first, into one, beginning with the smallest at the right end. */
export function join(hashes: readonly Uint8Array[]): Buffer {
  let right: Uint8Array | undefined;
  for (const left of hashes.toReversed()) right = right ? nodeHash(left, right) : left;
  return right ? Buffer.from(right) : emptyRoot;
}
