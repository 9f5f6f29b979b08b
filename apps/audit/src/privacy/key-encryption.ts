import { seal, sha256, unseal } from '@holdfast/platform';
import type { AuditConfig } from '../config.js';

export type EncryptionConfig = Pick<AuditConfig, 'KEY_ENCRYPTION_KEY' | 'KEY_ENCRYPTION_KEY_PREVIOUS'>;

/**
 * What is sealed outside of the log: new values under KEY_ENCRYPTION_KEY; what is there opens with the previous one as
 * well.
 */
export class EncryptionKeys {
  /**
   * Names the current key in the rows that are sealed with it, and tells nothing about it: a key is 256 random bits.
   */
  readonly id: Buffer;
  private readonly current: Buffer;
  private readonly all: Buffer[];

  constructor({ KEY_ENCRYPTION_KEY: current, KEY_ENCRYPTION_KEY_PREVIOUS: previous }: EncryptionConfig) {
    this.id = sha256(Buffer.concat([Buffer.from('holdfast audit key encryption key'), current])).subarray(0, 8);
    this.current = current;
    this.all = previous ? [current, previous] : [current];
  }

  seal(plaintext: string | Buffer, context: string): Buffer {
    return seal(this.current, plaintext, context);
  }

  /** Undefined when no key opens it: it was sealed with another one, or changed. */
  open(sealed: Buffer, context: string): Buffer | undefined {
    for (const key of this.all) {
      try {
        return unseal(key, sealed, context);
      } catch {
        // The next one may.
      }
    }
    return undefined;
  }
}
