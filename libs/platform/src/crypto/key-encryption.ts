import { keysOf, seal, sha256, unseal, type Keys } from './crypto.js';

export interface KeyEncryptionConfig {
  KEY_ENCRYPTION_KEY: Buffer;
  KEY_ENCRYPTION_KEY_PREVIOUS?: Buffer | undefined;
}

/** The keys that decrypt; the first one encrypts. */
export function encryptionKeysOf({
  KEY_ENCRYPTION_KEY: current,
  KEY_ENCRYPTION_KEY_PREVIOUS: previous,
}: KeyEncryptionConfig): Keys {
  return keysOf(current, previous);
}

/**
 * Encrypts keys of people and customers with KEY_ENCRYPTION_KEY, and decrypts with KEY_ENCRYPTION_KEY_PREVIOUS as well.
 */
export class KeyEncryption {
  /** Stored with each encrypted row. It reveals nothing about the key, which is 256 random bits. */
  readonly keyId: Buffer;
  private readonly keys: Keys;

  /** `service` makes the key ids of services differ that have the same key. */
  constructor(config: KeyEncryptionConfig, service: string) {
    this.keys = encryptionKeysOf(config);
    this.keyId = keyIdOf(this.keys[0], `${service} key encryption key`);
  }

  encrypt(plaintext: string | Buffer, context: string): Buffer {
    return seal(this.keys[0], plaintext, context);
  }

  /** Undefined when neither key decrypts it: it was encrypted with another key, or changed. */
  decrypt(sealed: Buffer, context: string): Buffer | undefined {
    try {
      return unseal(this.keys, sealed, context);
    } catch {
      return undefined;
    }
  }
}

/** Names a key of 256 random bits without revealing anything about it. Keys of another purpose have other ids. */
export function keyIdOf(key: Buffer, purpose: string): Buffer {
  return sha256(Buffer.concat([Buffer.from(`holdfast ${purpose}`), key])).subarray(0, 8);
}
