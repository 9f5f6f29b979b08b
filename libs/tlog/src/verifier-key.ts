import { base64Of, concat, hexOf, sha256, utf8Of, type Bytes } from '#platform';
import { FormatError, fromBase64 } from './text.js';

/** A name and an Ed25519 public key (c2sp.org/signed-note), which verifiers pin. */
export interface VerifierKey {
  name: string;
  /** First four bytes of SHA-256(name ‖ newline ‖ type ‖ public key), in hex. */
  keyId: string;
  /** Its 32 bytes. */
  publicKey: Bytes;
  role: KeyRole;
}

/** Signature types (c2sp.org/signed-note): logs sign the text itself, witnesses the text and a time. */
const signatureTypes = { log: 1, witness: 4 } as const;
export type KeyRole = keyof typeof signatureTypes;
const keySize = 32;
const keyName = /^[^\p{White_Space}+\p{Cc}]+$/u;

/** @throws FormatError when the name has spaces or a plus sign */
export function verifierKeyOfBytes(name: string, publicKey: Bytes, role: KeyRole): VerifierKey {
  return { name: assertName(name), keyId: keyIdOf(name, publicKey, role), publicKey, role };
}

/** `name+keyid+base64(type ‖ public key)` */
export function formatVerifierKey({ name, keyId, publicKey, role }: VerifierKey): string {
  return `${name}+${keyId}+${base64Of(typedKey(publicKey, role))}`;
}

/** The key of a log. @throws FormatError, also for that of a witness */
export function parseVerifierKey(text: string): VerifierKey {
  return parseKey(text, 'log');
}

/** The key of a witness (c2sp.org/tlog-cosignature). @throws FormatError, also for that of a log */
export function parseWitnessKey(text: string): VerifierKey {
  return parseKey(text, 'witness');
}

function parseKey(text: string, role: KeyRole): VerifierKey {
  // The base64 may contain plus signs; name and id cannot.
  const [, name, keyId, base64] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/su.exec(text) ?? [];
  if (name === undefined || keyId === undefined || base64 === undefined)
    throw new FormatError('It is not a verifier key: name+hash+key');
  assertName(name);
  const bytes = fromBase64(base64, 'The key in a verifier key');
  if (bytes[0] !== signatureTypes[role] || bytes.length !== 1 + keySize)
    throw new FormatError(`The key in a verifier key is not the Ed25519 key of a ${role}`);
  const key = verifierKeyOfBytes(name, bytes.subarray(1), role);
  if (key.keyId !== keyId)
    throw new FormatError('The hash in a verifier key does not belong to its name and key: it was copied wrongly');
  return key;
}

function assertName(name: string): string {
  if (!keyName.test(name) || !name.isWellFormed())
    throw new FormatError('The name of a key must have no spaces and no plus sign, and one character at least');
  return name;
}

function keyIdOf(name: string, raw: Uint8Array, role: KeyRole): string {
  return hexOf(sha256(concat([utf8Of(`${name}\n`), typedKey(raw, role)])).subarray(0, 4));
}

function typedKey(raw: Uint8Array, role: KeyRole): Bytes {
  return concat([Uint8Array.of(signatureTypes[role]), raw]);
}
