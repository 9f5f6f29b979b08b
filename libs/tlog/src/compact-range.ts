import { concat, copyOf, type Bytes } from '#platform';
import { assertSize } from './subtrees.js';
import { hashSize, join, nodeHash } from './tree.js';

/** Called with each subtree that has become perfect. A log stores these hashes to create proofs. */
export type OnSubtreeComplete = (level: number, index: number, hash: Bytes) => void;

/**
 * The state that is needed to append to a tree: the hashes of its perfect subtrees from the left, one for each bit of
 * its size.
 */
export class CompactRange {
  private length: number;
  private readonly hashes: Bytes[];

  private constructor(length: number, hashes: Bytes[]) {
    this.length = length;
    this.hashes = hashes;
  }

  static empty(): CompactRange {
    return new CompactRange(0, []);
  }

  /** Restores the state from `toBytes()`. @throws RangeError when the bytes do not match the size */
  static from(size: number, bytes: Uint8Array): CompactRange {
    assertSize(size, 'The size of a tree');
    let count = 0;
    for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) count += rest % 2;
    if (bytes.length !== count * hashSize)
      throw new RangeError(`A tree of ${size} leaves has ${count} perfect subtrees, not ${bytes.length / hashSize}`);
    const copy = copyOf(bytes);
    return new CompactRange(
      size,
      Array.from({ length: count }, (_, i) => copy.subarray(i * hashSize, (i + 1) * hashSize)),
    );
  }

  get size(): number {
    return this.length;
  }

  /** @param onComplete is called for the leaf itself as well, as level 0 */
  append(leafHash: Uint8Array, onComplete?: OnSubtreeComplete): this {
    if (leafHash.length !== hashSize)
      throw new RangeError(`The hash of a leaf has ${hashSize} bytes, not ${leafHash.length}`);
    let hash: Bytes = copyOf(leafHash);
    onComplete?.(0, this.length, hash);
    let index = this.length;
    for (let level = 1; index % 2 === 1; level++) {
      hash = nodeHash(this.hashes.pop()!, hash);
      index = (index - 1) / 2;
      onComplete?.(level, index, hash);
    }
    this.hashes.push(hash);
    this.length++;
    return this;
  }

  /** RFC 9162 §2.1.1: the hash of the whole tree. */
  root(): Bytes {
    return join(this.hashes);
  }

  toBytes(): Bytes {
    return concat(this.hashes);
  }
}

/** Root of the tree of these leaves. */
export function rootOf(leafHashes: Iterable<Uint8Array>): Bytes {
  const range = CompactRange.empty();
  for (const hash of leafHashes) range.append(hash);
  return range.root();
}
