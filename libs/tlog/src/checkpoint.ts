import { base64Of, type Bytes } from '#platform';
import { openNote, parseNote } from './note.js';
import { FormatError, fromBase64, fromDecimal } from './text.js';
import { hashSize } from './tree.js';
import type { VerifierKey } from './verifier-key.js';

/** The state of a log: c2sp.org/tlog-checkpoint. */
export interface Checkpoint {
  /** Identifies the log: a URL without its scheme. */
  origin: string;
  /** Number of entries. */
  size: number;
  /** Root hash of their tree. */
  root: Bytes;
}

export type SignableCheckpoint = Omit<Checkpoint, 'root'> & { root: Uint8Array };

export function formatCheckpoint({ origin, size, root }: SignableCheckpoint): string {
  const text = `${origin}\n${size}\n${base64Of(root)}\n`;
  // A checkpoint that cannot be parsed must not be signed.
  parseCheckpoint(text);
  return text;
}

/** The text of a checkpoint, without signatures. @throws FormatError */
export function parseCheckpoint(text: string): Checkpoint {
  const lines = text.split('\n');
  const [origin = '', size = '', root = '', end] = lines;
  // Extension lines are rejected, since no verifier checks them.
  if (lines.length !== 4 || end !== '' || origin === '')
    throw new FormatError('It is not a checkpoint: three lines, with origin, size and root');
  return {
    origin,
    size: fromDecimal(size, 'The size in a checkpoint'),
    root: fromBase64(root, 'The root in a checkpoint', hashSize),
  };
}

/**
 * Verifies that a trusted key has signed the checkpoint and that the key has the name of the log. @throws FormatError
 * with the reason
 */
export function openCheckpoint(note: string, known: readonly VerifierKey[]): Checkpoint {
  const { text, signers } = openNote(note, known);
  const checkpoint = parseCheckpoint(text);
  if (!signers.some(({ name }) => name === checkpoint.origin)) {
    throw new FormatError(
      `It is a checkpoint of another log: ${checkpoint.origin}, where ${signers[0]!.name} was expected`,
    );
  }
  return checkpoint;
}

/** Parses a checkpoint without verifying its signatures: for display only. @throws FormatError */
export function readCheckpoint(note: string): Checkpoint {
  return parseCheckpoint(parseNote(note).text);
}
