import { isExpired, isOfferExpired, type Customer, type CustomerCredential } from './customer.js';
import type { CredentialState } from './transitions.js';

/** Where a credential stands at `now`, as the rules look at it; undefined before its first offer. */
export function credentialStateOf(
  { offers }: Customer,
  credential: CustomerCredential | undefined,
  now: Date,
): CredentialState {
  if (!credential) return { stage: 'none', revocable: true, offer: 'none', ended: false };
  const open = offers.find((o) => o.credentialId === credential.id && o.status === 'open');
  return {
    stage: credential.status,
    revocable: credential.revocable,
    offer: open ? (isOfferExpired(open, now) ? 'expired' : 'open') : 'none',
    ended: isExpired(credential, now),
  };
}
