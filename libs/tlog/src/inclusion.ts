import { equalBytes, type Bytes } from '#platform';
import { assertSize, split, subtreesOf, type ReadHashes, type Subtree } from './subtrees.js';
import { hashSize, join, nodeHash } from './tree.js';

/** RFC 9162 §2.1.3.1: proves that leaf `index` is in the tree of `size` leaves. Calls `read` once. */
export async function inclusionProof(index: number, size: number, read: ReadHashes): Promise<Bytes[]> {
  assertSize(size, 'The size of a tree', 1);
  assertSize(index, 'The index of a leaf');
  if (index >= size) throw new RangeError(`A tree of ${size} leaves has none at index ${index}`);
  return readGroups(inclusionPath(index, 0, size), read);
}

/** PATH(m, D[start:end]): each hash of the proof as a list of perfect subtrees. */
function inclusionPath(index: number, start: number, end: number): Subtree[][] {
  if (end - start <= 1) return [];
  const middle = start + split(end - start);
  return index < middle
    ? [...inclusionPath(index, start, middle), subtreesOf(middle, end)]
    : [...inclusionPath(index, middle, end), subtreesOf(start, middle)];
}

/** Reads the subtrees of all groups at once and joins each group into one hash. */
export async function readGroups(groups: readonly Subtree[][], read: ReadHashes): Promise<Bytes[]> {
  const wanted = groups.flat();
  const hashes = wanted.length === 0 ? [] : await read(wanted);
  if (hashes.length !== wanted.length)
    throw new RangeError(`${wanted.length} hashes of the tree were requested and ${hashes.length} returned`);
  let next = 0;
  return groups.map((group) => join(hashes.slice(next, (next += group.length))));
}

export interface Inclusion {
  /** From 0: `seq` less one. */
  index: number;
  size: number;
  leafHash: Uint8Array;
  proof: readonly Uint8Array[];
  root: Uint8Array;
}

/** RFC 9162 §2.1.3.2. Returns false, and never throws, for invalid input. */
export function verifyInclusion({ index, size, leafHash, proof, root }: Inclusion): boolean {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) return false;
  if ([leafHash, root, ...proof].some((hash) => hash.length !== hashSize)) return false;
  let fn = index;
  let sn = size - 1;
  let r = leafHash;
  for (const p of proof) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      r = nodeHash(p, r);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn / 2, Math.floor(sn / 2)];
    } else {
      r = nodeHash(r, p);
    }
    [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  }
  return sn === 0 && equalBytes(r, root);
}
