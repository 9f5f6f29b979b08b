import { allocate, copyOf, sha256, type Bytes } from '#platform';

/** Bytes of a hash: SHA-256. */
export const hashSize = 32;

let leaf = allocate(4096);
const node = allocate(1 + 2 * hashSize).fill(1);

/** RFC 9162 §2.1.1: SHA-256(0x00 ‖ entry). */
export function leafHash(entry: Uint8Array): Bytes {
  if (entry.length >= leaf.length) leaf = allocate(2 * entry.length + 1);
  leaf.set(entry, 1);
  return sha256(leaf.subarray(0, entry.length + 1));
}

/** RFC 9162 §2.1.1: SHA-256(0x01 ‖ left ‖ right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Bytes {
  node.set(left, 1);
  node.set(right, 1 + hashSize);
  return sha256(node);
}

/** Root of the empty tree: SHA-256 of nothing (RFC 9162 §2.1.1). */
export const emptyRoot: Bytes = sha256(new Uint8Array());

/** Joins the hashes of adjacent subtrees, largest first, into one, beginning with the smallest at the right end. */
export function join(hashes: readonly Uint8Array[]): Bytes {
  let right: Uint8Array | undefined;
  for (const left of hashes.toReversed()) right = right ? nodeHash(left, right) : left;
  return right ? copyOf(right) : emptyRoot;
}
