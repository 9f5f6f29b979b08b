import { ceremonies, type Binding } from '@holdfast/passkeys';

/**
 * A challenge of a claim is worth nothing for another offer or in another browser, and goes when the customer is
 * erased.
 */
export function claimCeremony(org: string, offerId: string, owner: string, browser: string | undefined): Binding {
  return { ceremony: ceremonies.claim, to: `${org}/${offerId}`, owner, ...(browser !== undefined && { browser }) };
}
