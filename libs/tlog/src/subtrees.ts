/** A perfect subtree: it covers the leaves `index · 2^level` up to, and without, `(index + 1) · 2^level`. */
export interface Subtree {
  level: number;
  index: number;
}

/** The hashes of subtrees, in the order asked for. All that a proof needs is asked for at once. */
export type ReadHashes = (subtrees: readonly Subtree[]) => Promise<readonly Uint8Array[]>;

/** Largest power of two below `n`, for n ≥ 2. Not by bits: sizes go beyond 32 of them. */
export function split(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/**
 * The perfect subtrees that make up the leaves from `start` to `end`, largest first. `start` is where a subtree of that
 * width may begin.
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

export function assertSize(n: number, what: string, least = 0): void {
  if (!Number.isSafeInteger(n) || n < least) throw new RangeError(`${what} must be a whole number of ${least} or more`);
}
