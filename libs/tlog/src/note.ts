import { hexOf, utf8Of, verifySignature, type Bytes } from '#platform';
import { FormatError, fromBase64 } from './text.js';
import type { VerifierKey } from './verifier-key.js';

/** Signed notes: c2sp.org/signed-note. A text, an empty line, and a line for each signature. */

export interface OpenedNote {
  /** The signed text, with its last newline. */
  text: string;
  /** The trusted keys that have signed it; at least one. */
  signers: VerifierKey[];
}

/** The specification requires more than sixteen. A note with more than this only costs CPU. */
const maxSignatures = 100;
const maxBytes = 1_000_000;
// The property and not \s, which lacks U+0085 and has U+FEFF: other implementations use the property.
const signatureLine = /^— ([^\p{White_Space}+]+) (\S+)$/u;

/**
 * Verifies that at least one of the trusted keys has signed the note. It ignores signatures of other keys, and rejects
 * the note if a signature of a trusted key does not verify.
 * @throws FormatError with the reason
 */
export function openNote(note: string, trusted: readonly VerifierKey[]): OpenedNote {
  const { text, signatures } = parseNote(note);
  const bytes = utf8Of(text);
  const signers = trusted.filter((key) => {
    const own = signatures.filter(({ name, keyId }) => name === key.name && keyId === key.keyId);
    const good = own.filter(
      ({ signature }) => signature.length === 64 && verifySignature(key.publicKey, bytes, signature),
    );
    if (good.length < own.length)
      throw new FormatError(`The signature by ${key.name} is wrong: the text was changed, or another key signed it`);
    return good.length > 0;
  });
  if (signers.length === 0) throw new FormatError('No key that is trusted has signed it');
  return { text, signers };
}

export interface NoteSignature {
  name: string;
  keyId: string;
  signature: Bytes;
  /** The line as it is in the note. */
  line: string;
}

/** Parses a note without verifying its signatures. @throws FormatError */
export function parseNote(note: string): { text: string; signatures: NoteSignature[] } {
  if (utf8Of(note).length > maxBytes) throw new FormatError(`A note of more than ${maxBytes} bytes is not read`);
  assertText(note);
  const gap = note.lastIndexOf('\n\n');
  if (gap === -1 || !note.endsWith('\n'))
    throw new FormatError('It is not a signed note: a text, an empty line, and lines with signatures');
  const lines = note.slice(gap + 2, -1).split('\n');
  if (lines.length > maxSignatures)
    throw new FormatError(`A note with more than ${maxSignatures} signatures is not read`);
  return { text: note.slice(0, gap + 1), signatures: lines.map(signatureOf) };
}

function signatureOf(line: string): NoteSignature {
  const [, name, base64] = signatureLine.exec(line) ?? [];
  if (name === undefined || base64 === undefined)
    throw new FormatError('A line after the empty one is not a signature');
  const bytes = fromBase64(base64, 'A signature');
  if (bytes.length < 5) throw new FormatError('A signature is too short');
  return { name, keyId: hexOf(bytes.subarray(0, 4)), signature: bytes.subarray(4), line };
}

/** @throws FormatError when a note cannot contain the text */
export function assertText(text: string): void {
  if (!text.isWellFormed()) throw new FormatError('A note must be UTF-8');
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 && code !== 0x0a) throw new FormatError('A note has no control characters but newlines');
  }
}
