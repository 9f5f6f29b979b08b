import type { CallContext, CustomerEvent } from '@holdfast/contracts';
import { customerEvent } from '../credentials/customer-event.js';
import type { Claimed } from './claim.js';

/** The event of a claim. Who claims is the customer: the record says so, though the link came without a name. */
export function claimEvent({ customer, credential, rekeyed }: Claimed, offerId: string, context: CallContext, now: Date): CustomerEvent {
  const holder = customer.id;
  return customerEvent(rekeyed ? 'credential.rekeyed' : 'credential.issued', customer, { ...context, actor: { type: 'customer', id: holder } }, now, {
    action: 'credential.claim',
    targets: [
      { type: 'customer', id: holder, holder },
      { type: 'credential', id: credential.id, holder },
      { type: 'offer', id: offerId, holder },
    ],
    outcome: { result: 'success', status: 200 },
    changes: {
      status: { from: rekeyed ? 'issued' : 'offered', to: 'issued' },
      ...(rekeyed && { passkey: { to: 'replaced' } }),
      ...(credential.expiresAt && { expiresAt: { to: credential.expiresAt.toISOString() } }),
    },
  });
}
