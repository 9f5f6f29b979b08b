import type { Audited } from '@holdfast/platform';
import type { Claimed } from './claim.js';

/** What the log says of a claim. */
export function claimRecord({ customer, credential, rekeyed, replacesPasskeys }: Claimed, offerId: string): Audited {
  const holder = customer.id;
  return {
    action: 'credential.claim',
    targets: [
      { type: 'customer', id: holder, dataSubject: holder },
      { type: 'credential', id: credential.id, dataSubject: holder },
      { type: 'offer', id: offerId, dataSubject: holder },
    ],
    outcome: { result: 'success', status: 200 },
    changes: {
      status: { from: rekeyed ? 'issued' : 'offered', to: credential.status },
      ...(replacesPasskeys && { passkey: { to: 'replaced' } }),
      ...(credential.expiresAt && { expiresAt: { to: credential.expiresAt.toISOString() } }),
    },
  };
}
