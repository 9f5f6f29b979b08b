import {
  consistencyProof,
  FormatError,
  readCheckpoint,
  verifyConsistency,
  type Checkpoint,
  type ReadHashes,
} from '@holdfast/tlog';

/** The log no longer continues what was signed before. The message says why, for people. */
export class BrokenLog extends Error {}

/**
 * Nothing when the tree `now` continues the checkpoint `note`, which lies at `where`.
 * @throws BrokenLog when it was truncated or rewritten since: then nothing may be signed, or there would be two
 * histories
 */
export async function assertContinues(now: Checkpoint, note: string, where: string, read: ReadHashes): Promise<void> {
  const before = checkpointOf(note, where);
  if (before.origin !== now.origin)
    throw new BrokenLog(
      `the checkpoint ${where} is of another log: ${before.origin}, where ${now.origin} was expected. Has BASE_URL been changed?`,
    );
  if (before.size > now.size)
    throw new BrokenLog(
      `the log ends at ${now.size}, but the checkpoint ${where} covers ${before.size}: ${before.size - now.size} entries are gone`,
    );
  const proof = await consistencyProof(before.size, now.size, read);
  if (!verifyConsistency({ from: before.size, to: now.size, fromRoot: before.root, toRoot: now.root, proof })) {
    throw new BrokenLog(
      `the log of ${now.size} entries does not continue the ${before.size} of the checkpoint ${where}: what was there has been changed`,
    );
  }
}

function checkpointOf(note: string, where: string): Checkpoint {
  try {
    return readCheckpoint(note);
  } catch (error) {
    if (error instanceof FormatError) throw new BrokenLog(`the checkpoint ${where} cannot be read: ${error.message}`);
    throw error;
  }
}
