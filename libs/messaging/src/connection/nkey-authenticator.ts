import { createPublicKey, sign, type KeyObject } from 'node:crypto';
import { fromSeed } from '@nats-io/nkeys';
import type { Authenticator } from '@nats-io/transport-node';
import { ed25519KeyOf } from '@holdfast/platform';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const publicKeyBytes = 32;
/** The first byte of a user's public key: it becomes the letter U. */
const userPrefix = 20 << 3;

/**
 * Proves a user of NATS by its seed, as `nkeyAuthenticator` of the client does, with the Ed25519 of Node.js. The
 * client's is JavaScript and takes some 50 ms for each connection: a sixth of a command's time, and the same for each
 * reconnection after a NATS server was restarted.
 *
 * @param seed in NATS's form, `SU…`
 * @throws Error when it is no seed
 */
export function nkeyAuthenticator(seed: string): Authenticator {
  checkSeed(seed);
  // Two bytes of prefix, the secret, two of checksum.
  const secret = base32Decoded(seed).subarray(2, 2 + publicKeyBytes);
  const privateKey = ed25519KeyOf(secret);
  const nkey = publicNkey(privateKey);
  return (nonce) => ({ nkey, sig: nonce ? sign(null, Buffer.from(nonce), privateKey).toString('base64') : '' });
}

/** Its prefix and checksum. */
function checkSeed(seed: string): void {
  try {
    fromSeed(new TextEncoder().encode(seed));
  } catch (cause) {
    const advice = 'Compare NATS_NKEY_SEED with the secret that it is from: it is damaged or incomplete.';
    throw new Error(`The seed of the NATS user is no seed (${(cause as Error).message}). ${advice}`, { cause });
  }
}

function publicNkey(privateKey: KeyObject): string {
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const key = Buffer.concat([Buffer.from([userPrefix]), spki.subarray(-publicKeyBytes)]);
  const checksum = Buffer.alloc(2);
  checksum.writeUInt16LE(crc16(key));
  return base32Encoded(Buffer.concat([key, checksum]));
}

/** CRC-16/XMODEM, as NATS puts it behind each key. */
function crc16(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc;
}

/** RFC 4648 §6 without padding. */
function base32Decoded(text: string): Buffer {
  const bits = [...text].map((character) => alphabet.indexOf(character).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

function base32Encoded(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((part) => alphabet[Number.parseInt(part.padEnd(5, '0'), 2)]).join('');
}
