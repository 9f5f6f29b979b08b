import {
  isEntryProof,
  openKept,
  UndecidableError,
  verifyEntryProof,
  verifyExport,
  type ProvenEntry,
  type Verdict,
} from '@holdfast/log-verifier';
import { FormatError, parseVerifierKey, parseWitnessKey, type VerifierKey } from '@holdfast/tlog';

/** What somebody has given to verify a file with: texts as they were typed. */
export interface Given {
  /** Verifier keys of the log, one a line. */
  keys: string;
  /** A checkpoint that was kept; empty for none. */
  checkpoint: string;
  /** Verifier keys of witnesses, one a line. */
  witnesses: string;
  /** How many of the witnesses must have cosigned the checkpoint; empty for all. */
  quorum: string;
  allowUnprovable: boolean;
}

export type Outcome =
  | { kind: 'log'; verdict: Verdict }
  | { kind: 'entry'; entry: ProvenEntry }
  | { kind: 'wrongEntry' }
  | { kind: 'undecided'; message: string };

/** The members of a File that are read. */
export type ReadableFile = Pick<Blob, 'size' | 'slice' | 'stream' | 'text'> & { name: string };

/** Longer than the proof of any entry. */
const maxProofBytes = 1_000_000;

/** Reads the file once, as a stream. @param onProgress is called with each further percent */
export async function verifyGiven(
  file: ReadableFile,
  given: Given,
  onProgress: (percent: number) => void,
): Promise<Outcome> {
  try {
    const keys = keysOf(given.keys, 'The key of the log', parseVerifierKey);
    if (keys.length === 0)
      throw new UndecidableError('There is no key: paste the one that you got from the owner of the log.');
    if (isEntryProof(await file.slice(0, 100).text())) return await verifyOne(file, keys);
    const verdict = await verifyExport(chunksOf(file, onProgress), file.name, keys, keptOf(given, keys), {
      allowUnprovable: given.allowUnprovable,
    });
    return { kind: 'log', verdict };
  } catch (error) {
    if (error instanceof UndecidableError) return { kind: 'undecided', message: error.message };
    throw error;
  }
}

async function verifyOne(file: ReadableFile, keys: readonly VerifierKey[]): Promise<Outcome> {
  if (file.size > maxProofBytes) throw new UndecidableError(`${file.name} is too large for the proof of an entry.`);
  const entry = verifyEntryProof(await file.text(), keys);
  return entry ? { kind: 'entry', entry } : { kind: 'wrongEntry' };
}

function keptOf({ checkpoint, witnesses, quorum }: Given, keys: readonly VerifierKey[]) {
  const pinned = keysOf(witnesses, 'The key of a witness', parseWitnessKey);
  if (new Set(pinned.map(({ keyId }) => keyId)).size < pinned.length)
    throw new UndecidableError('A witness is given twice, and would count as two.');
  const required = quorum.trim() === '' ? pinned.length : Number(quorum);
  if (!Number.isInteger(required) || required < 0 || required > pinned.length)
    throw new UndecidableError('The number of witnesses must be a whole number, and not more than you have given.');
  const note = checkpoint.trim();
  if (note === '') {
    if (pinned.length > 0) throw new UndecidableError('Witnesses cosign checkpoints: paste a cosigned checkpoint too.');
    return [];
  }
  // A text that was copied often lacks its last newline, and may have those of another system.
  return [openKept('that you gave', `${note.replaceAll('\r\n', '\n')}\n`, keys, { witnesses: pinned, required })];
}

function keysOf(text: string, what: string, parse: (line: string) => VerifierKey): VerifierKey[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      try {
        return parse(line);
      } catch (error) {
        if (error instanceof FormatError) throw new UndecidableError(`${what} is not valid. ${error.message}.`);
        throw error;
      }
    });
}

async function* chunksOf(file: ReadableFile, onProgress: (percent: number) => void): AsyncGenerator<Uint8Array> {
  // Not `for await`: streams are iterable in newer browsers only.
  const reader = file.stream().getReader();
  let [read, percent] = [0, 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
    read += value.length;
    const now = Math.floor((100 * read) / file.size);
    if (now > percent) onProgress((percent = now));
  }
}
