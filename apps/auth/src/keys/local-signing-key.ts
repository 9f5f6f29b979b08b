import { createPrivateKey, createPublicKey, sign, type JsonWebKey, type KeyObject } from 'node:crypto';
import { ExternalSigningKey } from 'oidc-provider';
import type { SigningKey } from './key-pair.js';

/**
 * Signs in this thread, with a key that was parsed once. The library's own way hands each signature to another thread
 * through WebCrypto, which costs more than the 23 µs that Ed25519 takes.
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
    // Ed25519 has its hash within (RFC 8032): none is named.
    return sign(null, data, this.privateKey);
  }
}
