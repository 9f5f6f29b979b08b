import { AppError } from '@holdfast/platform';
import { change, endingOf, idsOf, inTurn, type Change } from '../customer/change.js';
import { closeOffers } from '../customer/close-offers.js';
import { standingOf } from '../customer/credential-state.js';
import type { Customer, HeldCredential } from '../customer/customer.js';
import { next } from '../customer/transitions.js';

export const manageActs = ['suspend', 'resume', 'revoke'] as const;
export type ManageAct = (typeof manageActs)[number];

/**
 * The organization suspends, resumes or revokes. An open offer dies with a suspension or revocation: a link that is on
 * its way must not undo it. @throws AppError unknown_credential, not_revocable, invalid_state
 */
export function managed(
  act: ManageAct,
  customer: Customer,
  credentialId: string,
  reason: string | undefined,
  now: Date,
): Change {
  const credential = customer.credentials.find((c) => c.id === credentialId);
  if (!credential) throw new AppError('unknown_credential');
  const status = next(act, standingOf(customer, credential, now));
  const after: HeldCredential = {
    ...credential,
    status,
    ...(act === 'revoke' && { revokedAt: now, ...(reason !== undefined && { revokedReason: reason }) }),
  };
  const moved = (before: Customer): Change => {
    const credentials = before.credentials.map((c) => (c.id === credentialId ? after : c));
    if (act === 'resume')
      return change(before, { credentials }, { type: 'credential.resumed', data: endingOf(before, after) });
    return change(
      before,
      { credentials },
      { type: act === 'suspend' ? 'credential.suspended' : 'credential.revoked', data: idsOf(before, after) },
    );
  };
  return act === 'resume'
    ? moved(customer)
    : inTurn(customer, (c) => closeOffers(c, credentialId, 'credential', now), moved);
}
