import { ceremonies, type Binding } from '@holdfast/passkeys';

/** A challenge of a claim is valid for its offer and browser only, and is deleted with the customer. */
export function claimCeremony(org: string, offerId: string, owner: string, browser: string | undefined): Binding {
  return { ceremony: ceremonies.claim, to: `${org}/${offerId}`, owner, ...(browser !== undefined && { browser }) };
}
