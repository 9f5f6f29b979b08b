import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { FormatError, fromBase64 } from './text.js';

/** A name and an Ed25519 public key (c2sp.org/signed-note), which verifiers pin. */
export interface VerifierKey {
  name: string;
  /** First four bytes of SHA-256(name ‖ newline ‖ 0x01 ‖ public key), in hex. */
  keyId: string;
  publicKey: KeyObject;
}

/** Signature type of Ed25519 in signed notes. */
const ed25519 = 1;
const keySize = 32;
const keyName = /^[^\s+\p{Cc}]+$/u;

/** @throws FormatError when the name has spaces or a plus sign, or the key is not Ed25519 */
export function verifierKeyOf(name: string, publicKey: KeyObject): VerifierKey {
  return { name: assertName(name), keyId: keyIdOf(name, rawKey(publicKey)), publicKey };
}

/** `name+keyid+base64(0x01 ‖ public key)` */
export function formatVerifierKey({ name, keyId, publicKey }: VerifierKey): string {
  return `${name}+${keyId}+${Buffer.concat([Buffer.of(ed25519), rawKey(publicKey)]).toString('base64')}`;
}

/** @throws FormatError */
export function parseVerifierKey(text: string): VerifierKey {
  // The base64 may contain plus signs; name and id cannot.
  const [, name, keyId, base64] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/su.exec(text) ?? [];
  if (name === undefined || keyId === undefined || base64 === undefined)
    throw new FormatError('It is not a verifier key: name+hash+key');
  assertName(name);
  const bytes = fromBase64(base64, 'The key in a verifier key');
  if (bytes[0] !== ed25519 || bytes.length !== 1 + keySize)
    throw new FormatError('The key in a verifier key is not Ed25519');
  const raw = bytes.subarray(1);
  if (keyIdOf(name, raw) !== keyId)
    throw new FormatError('The hash in a verifier key does not belong to its name and key: it was copied wrongly');
  return {
    name,
    keyId,
    publicKey: createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') } }),
  };
}

function assertName(name: string): string {
  if (!keyName.test(name) || !name.isWellFormed())
    throw new FormatError('The name of a key must have no spaces and no plus sign, and one character at least');
  return name;
}

function keyIdOf(name: string, raw: Uint8Array): string {
  return createHash('sha256').update(`${name}\n`).update(Buffer.of(ed25519)).update(raw).digest('hex').slice(0, 8);
}

function rawKey(publicKey: KeyObject): Buffer {
  if (publicKey.asymmetricKeyType !== 'ed25519') throw new FormatError('The key of a note must be Ed25519');
  return Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
}
