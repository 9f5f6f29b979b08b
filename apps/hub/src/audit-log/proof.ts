import { UndecidableError, verifyEntryProof, type ProvenEntry } from '@holdfast/log-verifier';
import { parseVerifierKey } from '@holdfast/tlog';
import type { AuditEvent } from './log-queries.ts';

/** What the proof of an entry shows. */
export type Verdict =
  | { kind: 'proven'; entry: ProvenEntry; hashes: number }
  /** The tree does not have the entry there, or has another one there. */
  | { kind: 'wrong' }
  | { kind: 'undecided'; message: string };

/**
 * Verifies in the browser that the entry is in the log: from the leaf by the path to the root, which the checkpoint
 * signs.
 * @param proof as the API returned it
 * @param keys verifier keys of the log
 */
export function verdictOf(
  shown: Pick<AuditEvent, 'id' | 'seq' | 'action'>,
  proof: { hashes: readonly string[] },
  keys: readonly string[],
): Verdict {
  try {
    const entry = verifyEntryProof(JSON.stringify(proof), keys.map(parseVerifierKey));
    if (!entry || entry.id !== shown.id || entry.seq !== shown.seq || entry.action !== shown.action)
      return { kind: 'wrong' };
    return { kind: 'proven', entry, hashes: proof.hashes.length };
  } catch (error) {
    if (error instanceof UndecidableError) return { kind: 'undecided', message: error.message };
    throw error;
  }
}
