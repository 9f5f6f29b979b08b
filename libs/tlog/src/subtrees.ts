/** A perfect subtree: it covers the leaves from `index · 2^level` up to, but excluding, `(index + 1) · 2^level`. */
export interface Subtree {
  level: number;
  index: number;
}

/** Reads the hashes of subtrees, in their order. A proof reads all that it needs at once. */
export type ReadHashes = (subtrees: readonly Subtree[]) => Promise<readonly Uint8Array[]>;

/** Largest power of two below `n`, for n ≥ 2. Without bitwise operators, since sizes may exceed 32 bits. */
export function split(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/**
 * The perfect subtrees that cover the leaves from `start` to `end`, largest first. `start` must be a multiple of the
 * width of the first one.
 */
export function subtreesOf(start: number, end: number): Subtree[] {
  const found: Subtree[] = [];
  let at = start;
  for (let level = Math.floor(Math.log2(Math.max(end - start, 1))) + 1; level >= 0; level--) {
    const width = 2 ** level;
    if (end - at < width) continue;
    found.push({ level, index: at / width });
    at += width;
  }
  return found;
}

export function assertSize(n: number, what: string, min = 0): void {
  if (!Number.isSafeInteger(n) || n < min) throw new RangeError(`${what} must be a whole number of ${min} or more`);
}
