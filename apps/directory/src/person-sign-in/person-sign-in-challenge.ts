import { hkdfSync } from 'node:crypto';
import { keysOf, type KeyEncryptionConfig, type Keys } from '@holdfast/platform';

/** A challenge of a sign-in is valid for its interaction only. The person is not known yet. */
export function personSignInOf(org: string, interaction: string): string {
  return `${org}/${interaction}`;
}

const challengeKeys = new WeakMap<Buffer, Buffer>();

/** The keys that sign the challenges of sign-ins, derived by HKDF (RFC 5869). */
export function challengeKeysOf({
  KEY_ENCRYPTION_KEY: current,
  KEY_ENCRYPTION_KEY_PREVIOUS: previous,
}: KeyEncryptionConfig): Keys {
  return keysOf(derived(current), previous && derived(previous));
}

function derived(master: Buffer): Buffer {
  let key = challengeKeys.get(master);
  if (!key) challengeKeys.set(master, (key = Buffer.from(hkdfSync('sha256', master, '', 'challenges of people', 32))));
  return key;
}
