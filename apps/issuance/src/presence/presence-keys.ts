import { hkdfSync } from 'node:crypto';
import type { IssuanceConfig } from '../config.js';

/** The keys of one organization: `signature` signs challenges, `key` their solutions. */
export interface PresenceKeys {
  signature: string;
  key: string;
}

/**
 * Derives the keys (RFC 5869), so that the proofs of one organization are invalid at another and no key needs to be
 * stored.
 */
function keysOf(master: Buffer, org: string): PresenceKeys {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', master, '', `presence/${org}/${purpose}`, 32)).toString('base64url');
  return { signature: derive('signature'), key: derive('key') };
}

/** The keys that sign, then those before a rotation, which only verify. */
export function presenceKeys(
  { PRESENCE_KEY, PRESENCE_KEY_PREVIOUS }: Pick<IssuanceConfig, 'PRESENCE_KEY' | 'PRESENCE_KEY_PREVIOUS'>,
  org: string,
): [PresenceKeys, ...PresenceKeys[]] {
  return [keysOf(PRESENCE_KEY, org), ...(PRESENCE_KEY_PREVIOUS ? [keysOf(PRESENCE_KEY_PREVIOUS, org)] : [])];
}
