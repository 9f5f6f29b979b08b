import type { KeyObject } from 'node:crypto';
import { openNote, parseNote, signNote } from './note.js';
import { FormatError, fromBase64, fromDecimal } from './text.js';
import { hashSize } from './tree.js';
import type { VerifierKey } from './verifier-key.js';

/** What a log was at one moment: c2sp.org/tlog-checkpoint. */
export interface Checkpoint {
  /** Which log: a URL without its scheme. */
  origin: string;
  /** How many entries it had. */
  size: number;
  /** The root of their tree. */
  root: Buffer;
}

export function formatCheckpoint({ origin, size, root }: { origin: string; size: number; root: Uint8Array }): string {
  const text = `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
  // What could not be read back must not be signed.
  parseCheckpoint(text);
  return text;
}

/** The text of a checkpoint, without signatures. @throws FormatError */
export function parseCheckpoint(text: string): Checkpoint {
  const lines = text.split('\n');
  const [origin = '', size = '', root = '', end] = lines;
  // Extension lines are not audited by anybody, so ours have none and none is taken.
  if (lines.length !== 4 || end !== '' || origin === '')
    throw new FormatError('It is not a checkpoint: three lines, with origin, size and root');
  return {
    origin,
    size: fromDecimal(size, 'The size in a checkpoint'),
    root: fromBase64(root, 'The root in a checkpoint', hashSize),
  };
}

/** Signs with an Ed25519 private key whose name is the log's origin. */
export function signCheckpoint(checkpoint: { origin: string; size: number; root: Uint8Array }, key: KeyObject): string {
  return signNote(formatCheckpoint(checkpoint), checkpoint.origin, key);
}

/**
 * A checkpoint that a trusted key has signed, of the log that bears the key's name. @throws FormatError with a sentence
 * that says why not
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

/** What a checkpoint says, whoever signed it: to be shown, not to be believed. @throws FormatError */
export function readCheckpoint(note: string): Checkpoint {
  return parseCheckpoint(parseNote(note).text);
}
