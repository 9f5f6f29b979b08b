import { createPrivateKey, createPublicKey, sign, type JsonWebKey, type KeyObject } from 'node:crypto';
import { ExternalSigningKey } from 'oidc-provider';
import type { SigningKey } from './key-pair.js';

/**
 * Signs in this thread, with a key that was parsed once. The library would sign through WebCrypto in another thread,
 * and the change of threads takes longer than the 23 µs of an Ed25519 signature.
 */
export class LocalSigningKey extends ExternalSigningKey {
  private readonly privateKey: KeyObject;
  private readonly publicKey: KeyObject;

  constructor(jwk: SigningKey) {
    super();
    this.privateKey = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
    this.publicKey = createPublicKey(this.privateKey);
    Object.assign(this, { kid: jwk.kid, alg: jwk.alg });
  }

  override keyObject(): KeyObject {
    return this.publicKey;
  }

  override async sign(data: Buffer): Promise<Buffer> {
    // Ed25519 determines its hash itself (RFC 8032).
    return sign(null, data, this.privateKey);
  }
}
