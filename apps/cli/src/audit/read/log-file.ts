import { createReadStream } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  openKept,
  verifyExport,
  type KeptCheckpoint,
  type Quorum,
  type Verdict,
  type VerifierOptions,
} from '@holdfast/log-verifier';
import type { VerifierKey } from '@holdfast/tlog';
import { CommandError } from '../../command-error.js';

/** Verifies an exported log. @throws UndecidableError when the file is not an exported log of the pinned key */
export function verifyFile(
  file: string,
  keys: readonly VerifierKey[],
  kept: readonly KeptCheckpoint[],
  options?: VerifierOptions,
): Promise<Verdict> {
  return verifyExport(createReadStream(file, { highWaterMark: 1 << 20 }), file, keys, kept, options);
}

/** @throws CommandError when a file cannot be read; UndecidableError when a checkpoint is not valid */
export async function readCheckpoints(
  files: readonly string[],
  keys: readonly VerifierKey[],
  quorum?: Quorum,
): Promise<KeptCheckpoint[]> {
  return Promise.all(
    files.map(async (name) => {
      const note = await readFile(name, 'utf8').catch((error: Error) =>
        Promise.reject(new CommandError(`The checkpoint ${name} cannot be read: ${error.message}`)),
      );
      return openKept(name, note, keys, quorum);
    }),
  );
}

/** Writes a temporary file that only its owner may read, and renames it when it is complete and on disk. */
export async function writeLog(file: string, lines: AsyncIterable<string>): Promise<void> {
  const partial = `${file}.part`;
  const handle = await open(partial, 'w', 0o600);
  try {
    await pipeline(Readable.from(lines), handle.createWriteStream({ flush: true }));
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
