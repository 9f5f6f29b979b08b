import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { FormatError, fromBase64 } from './text.js';

/** A name and an Ed25519 public key (c2sp.org/signed-note), which verifiers pin. */
export interface VerifierKey {
  name: string;
  /** First four bytes of SHA-256(name ‖ newline ‖ type ‖ public key), in hex. */
  keyId: string;
  publicKey: KeyObject;
  role: KeyRole;
}

/** Signature types (c2sp.org/signed-note): logs sign the text itself, witnesses the text and a time. */
const signatureTypes = { log: 1, witness: 4 } as const;
export type KeyRole = keyof typeof signatureTypes;
const keySize = 32;
const keyName = /^[^\s+\p{Cc}]+$/u;

/** @throws FormatError when the name has spaces or a plus sign, or the key is not Ed25519 */
export function verifierKeyOf(name: string, publicKey: KeyObject, role: KeyRole = 'log'): VerifierKey {
  return { name: assertName(name), keyId: keyIdOf(name, rawKey(publicKey), role), publicKey, role };
}

/** `name+keyid+base64(type ‖ public key)` */
export function formatVerifierKey({ name, keyId, publicKey, role }: VerifierKey): string {
  const typed = Buffer.concat([Buffer.of(signatureTypes[role]), rawKey(publicKey)]);
  return `${name}+${keyId}+${typed.toString('base64')}`;
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
  const raw = bytes.subarray(1);
  if (keyIdOf(name, raw, role) !== keyId)
    throw new FormatError('The hash in a verifier key does not belong to its name and key: it was copied wrongly');
  return {
    name,
    keyId,
    publicKey: createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') } }),
    role,
  };
}

function assertName(name: string): string {
  if (!keyName.test(name) || !name.isWellFormed())
    throw new FormatError('The name of a key must have no spaces and no plus sign, and one character at least');
  return name;
}

function keyIdOf(name: string, raw: Uint8Array, role: KeyRole): string {
  const typed = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(signatureTypes[role]), raw]);
  return createHash('sha256').update(typed).digest('hex').slice(0, 8);
}

function rawKey(publicKey: KeyObject): Buffer {
  if (publicKey.asymmetricKeyType !== 'ed25519') throw new FormatError('The key of a note must be Ed25519');
  return Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
}
