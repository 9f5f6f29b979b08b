import type { Audited } from '@holdfast/platform';
import { auditTarget } from '../customer/locators.js';
import type { Claimed } from './claim.js';

/** The audit record of a claim. */
export function claimRecord(claimed: Claimed, offerId: string, passkey: string): Audited {
  const { customer, credential, rekeyed, adds, replacesPasskeys } = claimed;
  const subject = customer.id;
  const targets = [
    auditTarget('customer', subject, subject),
    auditTarget('credential', credential.id, subject),
    auditTarget('offer', offerId, subject),
  ];
  if (adds)
    return {
      action: 'passkey.add',
      targets: [...targets, auditTarget('passkey', passkey, subject)],
      outcome: { result: 'success', status: 200 },
    };
  return {
    action: 'credential.claim',
    targets,
    outcome: { result: 'success', status: 200 },
    changes: {
      status: { from: rekeyed ? 'issued' : 'offered', to: credential.status },
      ...(replacesPasskeys && { passkey: { to: 'replaced' } }),
      ...(credential.expiresAt && { expiresAt: { to: credential.expiresAt.toISOString() } }),
    },
  };
}
