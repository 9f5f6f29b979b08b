import { ceremonies, type Binding } from '@holdfast/passkeys';

/** A challenge of a claim is worth nothing for another offer or in another browser, and goes when the customer is erased. */
export function claimCeremony(org: string, offerId: string, owner: string, browser: string | undefined): Binding {
  return { ceremony: ceremonies.claim, to: `${org}/${offerId}`, owner, ...(browser !== undefined && { browser }) };
}

/** A challenge of a sign-in is worth nothing in another interaction. Whose it will be, nobody knows yet. */
export function signInCeremony(org: string, interaction: string): Binding {
  return { ceremony: ceremonies.signIn, to: `${org}/${interaction}` };
}
