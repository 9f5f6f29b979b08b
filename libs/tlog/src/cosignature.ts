import { utf8Of, verifySignature, type Bytes } from '#platform';
import { parseNote, type NoteSignature } from './note.js';
import { FormatError } from './text.js';
import type { VerifierKey } from './verifier-key.js';

/** Cosignatures of witnesses, who have seen that a log only grows: c2sp.org/tlog-cosignature, version 1 of Ed25519. */

export interface Cosignature {
  witness: VerifierKey;
  /** When the witness signed, in whole seconds. */
  at: Date;
  /** The line of the note. */
  line: string;
}

const timeSize = 8;
const signatureSize = 64;

/**
 * The cosignatures of these witnesses on a checkpoint, the newest of each. Those of others are ignored.
 * @throws FormatError when it is no note, or when a cosignature of one of these witnesses does not verify
 */
export function openCosignatures(note: string, witnesses: readonly VerifierKey[]): Cosignature[] {
  const { text, signatures } = parseNote(note);
  return witnesses.flatMap((witness) => {
    const own = signatures
      .filter(({ name, keyId }) => name === witness.name && keyId === witness.keyId)
      .map((signature) => openCosignature(text, signature, witness))
      .sort((a, b) => b.at.getTime() - a.at.getTime());
    return own.slice(0, 1);
  });
}

/** The same note with these lines after its signatures. */
export function withSignatureLines(note: string, lines: readonly string[]): string {
  return note + lines.map((line) => `${line}\n`).join('');
}

function openCosignature(text: string, { signature, line }: NoteSignature, witness: VerifierKey): Cosignature {
  const wrong = `The cosignature by ${witness.name} is wrong: the checkpoint was changed, or another key signed it`;
  if (signature.length !== timeSize + signatureSize) throw new FormatError(wrong);
  const seconds = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
  if (!verifySignature(witness.publicKey, cosignedBytes(text, seconds), signature.subarray(timeSize)))
    throw new FormatError(wrong);
  const at = new Date(Number(seconds) * 1000);
  // A time that no clock shows, which the witness has signed nonetheless.
  if (Number.isNaN(at.getTime())) throw new FormatError(`The cosignature by ${witness.name} has no valid time`);
  return { witness, at, line };
}

/** What a witness signs. @param text of the checkpoint, without signatures */
export function cosignedBytes(text: string, seconds: bigint): Bytes {
  return utf8Of(`cosignature/v1\ntime ${seconds}\n${text}`);
}
