import { AppError } from '@holdfast/platform';
import { change, compose, idsAndExpirationOf, idsOf, type Change } from '../customer/change.js';
import { closeOffers } from '../customer/close-offers.js';
import type { Customer, CustomerCredential } from '../customer/customer.js';
import { credentialStateOf, next } from '../customer/transitions.js';

export const manageActions = ['suspend', 'resume', 'revoke'] as const;
export type ManageAction = (typeof manageActions)[number];

/**
 * The organization suspends, resumes or revokes. An open offer dies with a suspension or revocation: a link that is on
 * its way must not undo it. @throws AppError unknown_credential, not_revocable, invalid_state
 */
export function managed(
  act: ManageAction,
  customer: Customer,
  credentialId: string,
  reason: string | undefined,
  now: Date,
): Change {
  const credential = customer.credentials.find((c) => c.id === credentialId);
  if (!credential) throw new AppError('unknown_credential');
  const status = next(act, credentialStateOf(customer, credential, now));
  const after: CustomerCredential = {
    ...credential,
    status,
    ...(act === 'revoke' && { revokedAt: now, ...(reason !== undefined && { revokedReason: reason }) }),
  };
  const moved = (before: Customer): Change => {
    const credentials = before.credentials.map((c) => (c.id === credentialId ? after : c));
    if (act === 'resume')
      return change(before, { credentials }, { type: 'credential.resumed', data: idsAndExpirationOf(before, after) });
    return change(
      before,
      { credentials },
      { type: act === 'suspend' ? 'credential.suspended' : 'credential.revoked', data: idsOf(before, after) },
    );
  };
  return act === 'resume'
    ? moved(customer)
    : compose(customer, (c) => closeOffers(c, credentialId, 'credential', now), moved);
}
