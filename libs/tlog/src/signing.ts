import { createPublicKey, sign, type KeyObject } from 'node:crypto';
import { formatCheckpoint, type SignableCheckpoint } from './checkpoint.js';
import { cosignedBytes } from './cosignature.js';
import { assertText, parseNote } from './note.js';
import { FormatError } from './text.js';
import { verifierKeyOfBytes, type KeyRole, type VerifierKey } from './verifier-key.js';

/** Signing, in Node.js only: `@holdfast/tlog/signing`. Keys are Ed25519. */

/** @throws FormatError when the name has spaces or a plus sign, or the key is not Ed25519 */
export function verifierKeyOf(name: string, publicKey: KeyObject, role: KeyRole = 'log'): VerifierKey {
  if (publicKey.asymmetricKeyType !== 'ed25519') throw new FormatError('The key of a note must be Ed25519');
  return verifierKeyOfBytes(name, Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url'), role);
}

/** Signs `text`, which must end in a newline. `key` is a private key. */
export function signNote(text: string, name: string, key: KeyObject): string {
  assertText(text);
  if (!text.endsWith('\n')) throw new FormatError('The text of a note must end in a newline');
  const { keyId } = verifierKeyOf(name, createPublicKey(key));
  const signature = Buffer.concat([Buffer.from(keyId, 'hex'), sign(null, Buffer.from(text), key)]);
  return `${text}\n— ${name} ${signature.toString('base64')}\n`;
}

/** Signs with a private key whose name is the log's origin. */
export function signCheckpoint(checkpoint: SignableCheckpoint, key: KeyObject): string {
  return signNote(formatCheckpoint(checkpoint), checkpoint.origin, key);
}

/** The line by which a witness signs the checkpoint `note` at `at`. `key` is a private key. */
export function cosign(note: string, witness: VerifierKey, key: KeyObject, at: Date): string {
  const seconds = BigInt(Math.floor(at.getTime() / 1000));
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(seconds);
  const signature = sign(null, cosignedBytes(parseNote(note).text, seconds), key);
  const bytes = Buffer.concat([Buffer.from(witness.keyId, 'hex'), time, signature]);
  return `— ${witness.name} ${bytes.toString('base64')}`;
}
