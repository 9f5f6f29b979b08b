import { createReadStream } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FormatError, openCheckpoint, openCosignatures, type VerifierKey } from '@holdfast/tlog';
import { CommandError } from '../../command-error.js';
import { LogVerifier, type KeptCheckpoint, type Verdict, type VerifierOptions } from '../verify/log-verifier.js';
import {
  fileType,
  fileVersion,
  linesOf,
  parseLine,
  type LogEnd,
  type LogHeader,
  type LogLine,
} from './exported-log.js';

/**
 * Verifies an exported log.
 *
 * @throws CommandError when the file is not an exported log of the pinned key, so that nothing can be said about it
 */
export async function verifyFile(
  file: string,
  keys: readonly VerifierKey[],
  kept: readonly KeptCheckpoint[],
  options?: VerifierOptions,
): Promise<Verdict> {
  const verifier = new LogVerifier(keys, kept, options);
  let number = 0;
  let end: LogEnd | undefined;
  for await (const lines of linesOf(createReadStream(file, { highWaterMark: 1 << 20 }))) {
    for (const line of lines) {
      number++;
      if (number === 1) assertHeader(parseLine(line), file, keys);
      else if (end) verifier.unreadable(number);
      else {
        const object = parseLine(line);
        if (object === undefined || 'type' in object === 'seq' in object) verifier.unreadable(number);
        else if ('seq' in object) verifier.add(object);
        else end = object as LogEnd;
      }
    }
  }
  if (number === 0) throw new CommandError(`${file} is empty.`);
  return verifier.endOfFile(end);
}

function assertHeader(header: LogLine | undefined, file: string, keys: readonly VerifierKey[]): void {
  const { type, version, origin } = (header ?? {}) as Partial<LogHeader>;
  if (type !== fileType)
    throw new CommandError(
      `${file} is not an exported log: its first line is not the header of one. Export one with: holdfast audit export`,
    );
  if (version !== fileVersion)
    throw new CommandError(
      `${file} is an exported log of version ${version}, and this command reads version ${fileVersion}.`,
    );
  if (!keys.some(({ name }) => name === origin))
    throw new CommandError(
      `${file} is the log ${origin}, but the pinned key belongs to ${keys.map(({ name }) => name).join(', ')}.`,
    );
}

/** How many of these witnesses must have cosigned a checkpoint. */
export interface Quorum {
  witnesses: readonly VerifierKey[];
  required: number;
}

/**
 * @throws CommandError when a checkpoint is unreadable, of another log, not signed by a pinned key, or cosigned by
 * fewer witnesses than required
 */
export async function readCheckpoints(
  files: readonly string[],
  keys: readonly VerifierKey[],
  { witnesses, required }: Quorum = { witnesses: [], required: 0 },
): Promise<KeptCheckpoint[]> {
  return Promise.all(
    files.map(async (name) => {
      const note = await readFile(name, 'utf8').catch((error: Error) =>
        Promise.reject(new CommandError(`The checkpoint ${name} cannot be read: ${error.message}`)),
      );
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
          throw new CommandError(`The checkpoint ${name} is not valid. ${error.message}.`);
        throw error;
      }
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
