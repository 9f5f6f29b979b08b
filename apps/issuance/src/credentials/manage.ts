import { AppError } from '@holdfast/platform';
import { change, compose, idsAndExpirationOf, idsOf, type Change } from '../customer/change.js';
import { closeOffers } from '../customer/close-offers.js';
import type { Customer, CustomerCredential } from '../customer/customer.js';
import { credentialStateOf, next } from '../customer/transitions.js';

export type ManageAction = 'suspend' | 'resume' | 'revoke';

/**
 * The organization suspends, resumes or revokes. A suspension or revocation withdraws an open offer, whose link could
 * undo it otherwise. @throws AppError unknown_credential, not_revocable, invalid_state
 */
export function managed(
  action: ManageAction,
  customer: Customer,
  credentialId: string,
  reason: string | undefined,
  now: Date,
): Change {
  const credential = customer.credentials.find((c) => c.id === credentialId);
  if (!credential) throw new AppError('unknown_credential');
  const status = next(action, credentialStateOf(customer, credential, now));
  const after: CustomerCredential = {
    ...credential,
    status,
    ...(action === 'revoke' && { revokedAt: now, ...(reason !== undefined && { revokedReason: reason }) }),
  };
  const withStatus = (before: Customer): Change => {
    const credentials = before.credentials.map((c) => (c.id === credentialId ? after : c));
    if (action === 'resume')
      return change(before, { credentials }, { type: 'credential.resumed', data: idsAndExpirationOf(before, after) });
    return change(
      before,
      { credentials },
      { type: action === 'suspend' ? 'credential.suspended' : 'credential.revoked', data: idsOf(before, after) },
    );
  };
  return action === 'resume'
    ? withStatus(customer)
    : compose(customer, (c) => closeOffers(c, credentialId, 'credential', now), withStatus);
}
