import { hasEnded, ranOut, type Customer, type HeldCredential } from './customer.js';
import type { Standing } from './transitions.js';

/** Where a credential stands at `now`, as the rules look at it; undefined before its first offer. */
export function standingOf({ offers }: Customer, credential: HeldCredential | undefined, now: Date): Standing {
  if (!credential) return { stage: 'none', revocable: true, offer: 'none', ended: false };
  const open = offers.find((o) => o.credentialId === credential.id && o.status === 'open');
  return {
    stage: credential.status,
    revocable: credential.revocable,
    offer: open ? (ranOut(open, now) ? 'ranOut' : 'open') : 'none',
    ended: hasEnded(credential, now),
  };
}
