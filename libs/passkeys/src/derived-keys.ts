import { hkdfSync } from 'node:crypto';
import { encryptionKeysOf, type KeyEncryptionConfig, type Keys } from '@holdfast/platform';

const derived = new Map<string, WeakMap<Buffer, Buffer>>();

/**
 * Keys that are derived from the key-encryption keys by HKDF (RFC 5869), for one purpose each. The first one signs; the
 * others verify what a rotation has left behind.
 */
export function derivedKeys(config: KeyEncryptionConfig, purpose: string): Keys {
  const known = derived.get(purpose) ?? new WeakMap<Buffer, Buffer>();
  derived.set(purpose, known);
  const [current, ...others] = encryptionKeysOf(config).map((master) => {
    const key = known.get(master) ?? Buffer.from(hkdfSync('sha256', master, '', purpose, 32));
    known.set(master, key);
    return key;
  });
  return [current!, ...others];
}
