import type { Audited } from '@holdfast/platform';
import { auditTarget } from '../customer/locators.js';
import type { Claimed } from './claim.js';

/** The audit record of a claim. */
export function claimRecord({ customer, credential, rekeyed, replacesPasskeys }: Claimed, offerId: string): Audited {
  const subject = customer.id;
  return {
    action: 'credential.claim',
    targets: [
      auditTarget('customer', subject, subject),
      auditTarget('credential', credential.id, subject),
      auditTarget('offer', offerId, subject),
    ],
    outcome: { result: 'success', status: 200 },
    changes: {
      status: { from: rekeyed ? 'issued' : 'offered', to: credential.status },
      ...(replacesPasskeys && { passkey: { to: 'replaced' } }),
      ...(credential.expiresAt && { expiresAt: { to: credential.expiresAt.toISOString() } }),
    },
  };
}
