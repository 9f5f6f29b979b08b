import { hkdfSync } from 'node:crypto';
import { keysOf, type KeyEncryptionConfig, type Keys } from '@holdfast/platform';

/** A challenge of a sign-in is valid for its interaction only. Who signs in is not known yet. */
export function signInOf(org: string, interaction: string): string {
  return `${org}/${interaction}`;
}

/** Whose sign-ins the challenges are for: what HKDF derives their key for. */
const info = { customers: 'challenges of sign-ins', people: 'challenges of people' } as const;

const derivedKeys = { customers: new WeakMap<Buffer, Buffer>(), people: new WeakMap<Buffer, Buffer>() };

/** The keys that sign the challenges of sign-ins, derived from the key-encryption keys by HKDF (RFC 5869). */
export function challengeKeysOf(
  { KEY_ENCRYPTION_KEY: current, KEY_ENCRYPTION_KEY_PREVIOUS: previous }: KeyEncryptionConfig,
  whose: keyof typeof info,
): Keys {
  return keysOf(derived(current, whose), previous && derived(previous, whose));
}

function derived(master: Buffer, whose: keyof typeof info): Buffer {
  const known = derivedKeys[whose].get(master);
  if (known) return known;
  const key = Buffer.from(hkdfSync('sha256', master, '', info[whose], 32));
  derivedKeys[whose].set(master, key);
  return key;
}
