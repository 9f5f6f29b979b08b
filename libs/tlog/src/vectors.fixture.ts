import { createHash } from 'node:crypto';

/** The leaves of RFC 6962's reference implementation, which everybody tests with. */
export const leaves = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((hex) => Buffer.from(hex, 'hex'));

const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

/**
 * Another hand at the same tree, as RFC 9162 §2.1.1 spells it: slow, recursive, and sharing nothing with the source.
 */
export const reference = {
  leaf: (entry: Uint8Array) => sha256(Buffer.of(0), entry),
  root(hashes: readonly Buffer[]): Buffer {
    if (hashes.length === 0) return sha256();
    if (hashes.length === 1) return hashes[0]!;
    const k = largest(hashes.length);
    return sha256(Buffer.of(1), reference.root(hashes.slice(0, k)), reference.root(hashes.slice(k)));
  },
  /** §2.1.3.1 */
  path(m: number, hashes: readonly Buffer[]): Buffer[] {
    if (hashes.length === 1) return [];
    const k = largest(hashes.length);
    return m < k
      ? [...reference.path(m, hashes.slice(0, k)), reference.root(hashes.slice(k))]
      : [...reference.path(m - k, hashes.slice(k)), reference.root(hashes.slice(0, k))];
  },
  /** §2.1.4.1 */
  subproof(m: number, hashes: readonly Buffer[], known: boolean): Buffer[] {
    if (m === hashes.length) return known ? [] : [reference.root(hashes)];
    const k = largest(hashes.length);
    return m <= k
      ? [...reference.subproof(m, hashes.slice(0, k), known), reference.root(hashes.slice(k))]
      : [...reference.subproof(m - k, hashes.slice(k), false), reference.root(hashes.slice(0, k))];
  },
};

/** Largest power of two below n. */
function largest(n: number): number {
  return 2 ** (Math.ceil(Math.log2(n)) - 1);
}

/** Hashes of `n` different leaves. */
export function hashesOf(n: number): Buffer[] {
  return Array.from({ length: n }, (_, i) => reference.leaf(Buffer.from(`entry ${i}`)));
}
