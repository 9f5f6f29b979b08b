import { seal, sha256, unseal } from '@holdfast/platform';
import type { AuditConfig } from '../config.js';

export type KeyEncryptionConfig = Pick<AuditConfig, 'KEY_ENCRYPTION_KEY' | 'KEY_ENCRYPTION_KEY_PREVIOUS'>;

/** Binds an encrypted personal data key to its row. */
export function personalDataKeyContext(org: string, id: string): string {
  return `audit personal data key ${org}/${id}`;
}

/** Binds an encrypted record to the table of pending records. */
export const pendingRecordContext = 'audit pending record';

/** Encrypts with KEY_ENCRYPTION_KEY, and decrypts with KEY_ENCRYPTION_KEY_PREVIOUS as well. */
export class KeyEncryption {
  /** Stored with each encrypted row. It reveals nothing about the key, which is 256 random bits. */
  readonly keyId: Buffer;
  private readonly current: Buffer;
  private readonly all: Buffer[];

  constructor({ KEY_ENCRYPTION_KEY: current, KEY_ENCRYPTION_KEY_PREVIOUS: previous }: KeyEncryptionConfig) {
    this.keyId = sha256(Buffer.concat([Buffer.from('holdfast audit key encryption key'), current])).subarray(0, 8);
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
