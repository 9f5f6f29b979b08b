import { seal, sha256, unseal } from './crypto.js';

export interface KeyEncryptionConfig {
  KEY_ENCRYPTION_KEY: Buffer;
  KEY_ENCRYPTION_KEY_PREVIOUS?: Buffer | undefined;
}

/**
 * Encrypts keys of people and customers with KEY_ENCRYPTION_KEY, and decrypts with KEY_ENCRYPTION_KEY_PREVIOUS as well.
 */
export class KeyEncryption {
  /** Stored with each encrypted row. It reveals nothing about the key, which is 256 random bits. */
  readonly keyId: Buffer;
  private readonly current: Buffer;
  private readonly all: Buffer[];

  /** `service` makes the key ids of services differ that have the same key. */
  constructor(
    { KEY_ENCRYPTION_KEY: current, KEY_ENCRYPTION_KEY_PREVIOUS: previous }: KeyEncryptionConfig,
    service: string,
  ) {
    const label = Buffer.from(`holdfast ${service} key encryption key`);
    this.keyId = sha256(Buffer.concat([label, current])).subarray(0, 8);
    this.current = current;
    this.all = previous ? [current, previous] : [current];
  }

  encrypt(plaintext: string | Buffer, context: string): Buffer {
    return seal(this.current, plaintext, context);
  }

  /** Undefined when neither key decrypts it: it was encrypted with another key, or changed. */
  decrypt(sealed: Buffer, context: string): Buffer | undefined {
    for (const key of this.all) {
      try {
        return unseal(key, sealed, context);
      } catch {
        // The other key may decrypt it.
      }
    }
    return undefined;
  }
}
