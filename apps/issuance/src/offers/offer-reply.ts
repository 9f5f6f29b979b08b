import type { Offer } from '@holdfast/contracts';
import type { Audited } from '@holdfast/platform';
import type { Customer } from '../customer/customer.js';
import { auditTarget } from '../customer/locators.js';
import type { Proof } from '../presence/provider.js';

/** The response to a created offer. */
export function offerOf(customer: Customer, offerId: string, token: string, baseUrl: string): Offer {
  const offer = customer.offers.find((o) => o.id === offerId)!;
  const credential = customer.credentials.find((c) => c.id === offer.credentialId)!;
  return {
    subject: customer.id,
    // In the fragment, so that no server log and no Referer ever contains it (product §2).
    claimUrl: `${baseUrl}/o/${customer.org}/claim#${token}`,
    offerId,
    credentialId: credential.id,
    credentialType: credential.type,
    expiresAt: offer.expiresAt.toISOString(),
  };
}

/** What the audit record of a withdrawal says besides its targets. */
export const withdrawalRecord: Omit<Audited, 'targets'> = {
  action: 'offer.withdraw',
  outcome: { result: 'success', status: 204 },
  changes: { status: { from: 'open', to: 'withdrawn' } },
};

/** The audit record of a created offer. It names the app of the customer, unless that is who made it. */
export function offerCreated(offer: Offer, { app, person }: { app: string; person?: string }, proof?: Proof): Audited {
  const { subject, offerId, credentialId, credentialType, expiresAt } = offer;
  return {
    action: 'offer.create',
    targets: [
      auditTarget('customer', subject, subject),
      auditTarget('offer', offerId, subject),
      auditTarget('credential', credentialId, subject),
      ...(person === undefined ? [] : [{ type: 'app' as const, id: app }]),
    ],
    outcome: { result: 'success', status: 201 },
    changes: {
      credentialType: { to: credentialType },
      expiresAt: { to: expiresAt },
      ...(proof && { presence: { to: { provider: proof.provider, outcome: 'verified' } } }),
    },
  };
}
