import { equalBytes, type Bytes } from '#platform';
import { readGroups } from './inclusion.js';
import { assertSize, split, subtreesOf, type ReadHashes, type Subtree } from './subtrees.js';
import { emptyRoot, hashSize, nodeHash } from './tree.js';

/** RFC 9162 §2.1.4.1: proves that the tree of `to` leaves begins with the tree of `from` leaves. Calls `read` once. */
export async function consistencyProof(from: number, to: number, read: ReadHashes): Promise<Bytes[]> {
  assertSize(from, 'The size of the earlier tree');
  assertSize(to, 'The size of the later tree');
  if (from > to) throw new RangeError(`A tree of ${to} leaves cannot continue one of ${from}`);
  // Every tree continues the empty one and itself, so the proof is empty (RFC 9162 §2.1.4.1 requires 0 < m < n).
  return from === 0 || from === to ? [] : readGroups(consistencyPath(from, 0, to, true), read);
}

/** SUBPROOF(m, D[start:end], known): `known` says that the verifier has the hash of the subtree already. */
function consistencyPath(from: number, start: number, end: number, known: boolean): Subtree[][] {
  if (from === end) return known ? [] : [subtreesOf(start, end)];
  const middle = start + split(end - start);
  return from <= middle
    ? [...consistencyPath(from, start, middle, known), subtreesOf(middle, end)]
    : [...consistencyPath(from, middle, end, false), subtreesOf(start, middle)];
}

export interface Consistency {
  from: number;
  to: number;
  fromRoot: Uint8Array;
  toRoot: Uint8Array;
  proof: readonly Uint8Array[];
}

/** RFC 9162 §2.1.4.2. Returns false, and never throws, for invalid input. */
export function verifyConsistency({ from, to, fromRoot, toRoot, proof }: Consistency): boolean {
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 0 || from > to) return false;
  if ([fromRoot, toRoot, ...proof].some((hash) => hash.length !== hashSize)) return false;
  if (from === to) return proof.length === 0 && equalBytes(fromRoot, toRoot);
  if (from === 0) return proof.length === 0 && equalBytes(fromRoot, emptyRoot);
  if (proof.length === 0) return false;

  let fn = from - 1;
  let sn = to - 1;
  while (fn % 2 === 1) [fn, sn] = [(fn - 1) / 2, Math.floor(sn / 2)];
  // An earlier tree whose size is a power of two is a subtree of the later one, so the proof omits its root.
  const [first, ...rest] = fn === 0 ? [fromRoot, ...proof] : proof;
  let fr = first!;
  let sr = first!;
  for (const c of rest) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      fr = nodeHash(c, fr);
      sr = nodeHash(c, sr);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn / 2, Math.floor(sn / 2)];
    } else {
      sr = nodeHash(sr, c);
    }
    [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  }
  return sn === 0 && equalBytes(fr, fromRoot) && equalBytes(sr, toRoot);
}
