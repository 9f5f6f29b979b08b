import { FormatError, openCheckpoint, openCosignatures, type VerifierKey } from '@holdfast/tlog';
import type { KeptCheckpoint } from './log-verifier.js';
import { UndecidableError } from './undecidable.js';

/** How many of these witnesses must have cosigned a checkpoint. */
export interface Quorum {
  witnesses: readonly VerifierKey[];
  required: number;
}

/**
 * Opens a checkpoint of an earlier time, with which the log must be consistent.
 *
 * @param name of its file, for messages
 * @throws UndecidableError when it is unreadable, of another log, not signed by a pinned key, or cosigned by fewer
 * witnesses than required
 */
export function openKept(
  name: string,
  note: string,
  keys: readonly VerifierKey[],
  { witnesses, required }: Quorum = { witnesses: [], required: 0 },
): KeptCheckpoint {
  // One witness is one witness, however often it is given.
  if (new Set(witnesses.map(({ name: witness, keyId }) => `${witness}+${keyId}`)).size < witnesses.length)
    throw new UndecidableError('A witness is given twice, and would count as two.');
  try {
    const checkpoint = openCheckpoint(note, keys);
    const cosigned = openCosignatures(note, witnesses).map(({ witness }) => witness.name);
    if (cosigned.length < required)
      throw new FormatError(
        `Of its witnesses ${required} must have cosigned it, and ${cosigned.length} have` +
          (cosigned.length > 0 ? `: ${cosigned.join(', ')}` : ''),
      );
    return { name: cosigned.length > 0 ? `${name} (cosigned by ${cosigned.join(', ')})` : name, checkpoint };
  } catch (error) {
    if (error instanceof FormatError)
      throw new UndecidableError(`The checkpoint ${name} is not valid. ${error.message}.`);
    throw error;
  }
}
