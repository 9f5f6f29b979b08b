import { hkdfSync } from 'node:crypto';
import type { IssuanceConfig } from '../config.js';

/** Of one organization: `signature` signs what is asked, `key` what is found. */
export interface PresenceKeys {
  signature: string;
  key: string;
}

/**
 * Derived, so that the proofs of one organization are worth nothing at another and no key needs to be stored (RFC
 * 5869).
 */
function keysOf(master: Buffer, org: string): PresenceKeys {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', master, '', `presence/${org}/${purpose}`, 32)).toString('base64url');
  return { signature: derive('signature'), key: derive('key') };
}

/** The keys that sign, then those of before a rotation, which only verify. */
export function presenceKeys(
  { PRESENCE_KEY, PRESENCE_KEY_PREVIOUS }: Pick<IssuanceConfig, 'PRESENCE_KEY' | 'PRESENCE_KEY_PREVIOUS'>,
  org: string,
): [PresenceKeys, ...PresenceKeys[]] {
  return [keysOf(PRESENCE_KEY, org), ...(PRESENCE_KEY_PREVIOUS ? [keysOf(PRESENCE_KEY_PREVIOUS, org)] : [])];
}
