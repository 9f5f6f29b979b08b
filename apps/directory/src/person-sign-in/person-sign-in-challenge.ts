import { hkdfSync } from 'node:crypto';
import type { Config } from '../config.js';

/** A challenge of a sign-in is valid for its interaction only. The person is not known yet. */
export function personSignInOf(org: string, interaction: string): string {
  return `${org}/${interaction}`;
}

const challengeKeys = new WeakMap<Buffer, Buffer>();

/** The key that signs the challenges of people's sign-ins, derived by HKDF (RFC 5869). */
export function challengeKeyOf({ KEY_ENCRYPTION_KEY: master }: Pick<Config, 'KEY_ENCRYPTION_KEY'>): Buffer {
  let key = challengeKeys.get(master);
  if (!key) challengeKeys.set(master, (key = Buffer.from(hkdfSync('sha256', master, '', 'challenges of people', 32))));
  return key;
}
