import { FormatError, openCheckpoint, parseVerifierKey, verifyConsistency, type Checkpoint } from '@holdfast/tlog';

/** A checkpoint that this browser keeps. */
export interface KeptCheckpoint {
  note: string;
  /** When it was kept. */
  at: string;
}

/** What a comparison with the kept checkpoint shows. */
export type Comparison =
  | { kind: 'first' }
  | { kind: 'same' }
  | { kind: 'continues'; size: number }
  /** The log does not begin with the kept entries, or a signature is wrong. */
  | { kind: 'broken'; why: string };

/**
 * Whether the log continues the checkpoint that was kept before (RFC 9162 §2.1.4).
 * @param keys verifier keys of the log
 * @param proofOf hashes of the consistency proof between two sizes, in Base64
 */
export async function compare(
  kept: KeptCheckpoint | undefined,
  newest: string,
  keys: readonly string[],
  proofOf: (from: number, to: number) => Promise<readonly string[]>,
): Promise<{ checkpoint?: Pick<Checkpoint, 'origin' | 'size'>; comparison: Comparison }> {
  const trusted = keys.map(parseVerifierKey);
  try {
    const checkpoint = openCheckpoint(newest, trusted);
    if (!kept) return { checkpoint, comparison: { kind: 'first' } };
    const before = openCheckpoint(kept.note, trusted);
    if (before.size > checkpoint.size)
      return { checkpoint, comparison: { kind: 'broken', why: `${checkpoint.size} < ${before.size}` } };
    const proof = before.size === checkpoint.size ? [] : await proofOf(before.size, checkpoint.size);
    const isContinued = verifyConsistency({
      from: before.size,
      to: checkpoint.size,
      // In the types of Node.js it is a Buffer.
      fromRoot: before.root as Uint8Array,
      toRoot: checkpoint.root as Uint8Array,
      proof: proof.map(bytesOf),
    });
    if (!isContinued) return { checkpoint, comparison: { kind: 'broken', why: 'RFC 9162 §2.1.4.2' } };
    return {
      checkpoint,
      comparison: before.size === checkpoint.size ? { kind: 'same' } : { kind: 'continues', size: before.size },
    };
  } catch (error) {
    if (error instanceof FormatError) return { comparison: { kind: 'broken', why: error.message } };
    throw error;
  }
}

/** @throws FormatError */
function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    throw new FormatError('A hash of the consistency proof is no Base64');
  }
}
