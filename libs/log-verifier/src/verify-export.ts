import { FormatError, type VerifierKey } from '@holdfast/tlog';
import { assertEndForm } from './entry-form.js';
import {
  fileType,
  fileVersion,
  linesOf,
  parseLine,
  type LogEnd,
  type LogHeader,
  type LogLine,
} from './exported-log.js';
import { LogVerifier, type KeptCheckpoint, type Verdict, type VerifierOptions } from './log-verifier.js';
import { UndecidableError } from './undecidable.js';

/**
 * Verifies an exported log, which is read once and never held as a whole.
 *
 * @param name of the file, for messages
 * @throws UndecidableError when the file is not an exported log of the pinned key, so that nothing can be said about it
 */
export async function verifyExport(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  keys: readonly VerifierKey[],
  kept: readonly KeptCheckpoint[],
  options?: VerifierOptions,
): Promise<Verdict> {
  const verifier = new LogVerifier(keys, kept, options);
  let number = 0;
  let end: LogEnd | undefined;
  for await (const lines of linesOf(chunks)) {
    for (const line of lines) {
      number++;
      const object = parseLine(line);
      if (number === 1) assertHeader(object, name, keys);
      else if (end || object === undefined || 'type' in object === 'seq' in object) verifier.unreadable(number);
      else if ('seq' in object) verifier.add(object);
      else if (isEnd(object)) end = object;
      else verifier.unreadable(number);
    }
  }
  if (number === 0) throw new UndecidableError(`${name} is empty.`);
  return verifier.endOfFile(end);
}

function isEnd(line: LogLine): line is LogEnd {
  try {
    assertEndForm(line as LogEnd);
    return true;
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}

function assertHeader(header: LogLine | undefined, name: string, keys: readonly VerifierKey[]): void {
  const { type, version, origin, ...others } = (header ?? {}) as Partial<LogHeader>;
  if (type !== fileType || Object.keys(others).length > 0)
    throw new UndecidableError(
      `${name} is not an exported log with proof: its first line is not the header of one. Export one with ` +
        '"proof": true, or with: holdfast audit export',
    );
  if (version !== fileVersion)
    throw new UndecidableError(
      `${name} is an exported log of version ${version}, and this verifier reads version ${fileVersion}.`,
    );
  const other = keys.find((key) => key.name !== origin);
  // With keys of several logs, the entries of one could come with the checkpoint of another.
  if (other || keys.length === 0)
    throw new UndecidableError(
      `${name} is the log ${origin}, but the pinned key belongs to ${other?.name ?? 'no log: there is none'}.`,
    );
}
