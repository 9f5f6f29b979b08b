import { createPrivateKey, type KeyObject } from 'node:crypto';

/** The PKCS #8 prefix of the 32 bytes of an Ed25519 key (RFC 8410 §7). */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The Ed25519 key with this secret of 32 bytes. */
export function ed25519KeyOf(secret: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8, secret]), format: 'der', type: 'pkcs8' });
}
