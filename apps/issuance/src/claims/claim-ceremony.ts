import { ceremonies, type Binding } from '@holdfast/passkeys';
import type { FoundClaim } from './find-claim.js';

/**
 * A challenge of a claim is valid for its offer and browser only, and is deleted with the customer. With another user
 * handle than the customer's present one it is valid for this handle only, since the response does not tell for which
 * one the passkey was created.
 */
export function claimCeremony(
  org: string,
  { offerId, subject, nextHandle }: Pick<FoundClaim, 'offerId' | 'subject' | 'nextHandle'>,
  browser: string | undefined,
): Binding {
  return {
    ceremony: ceremonies.claim,
    to: [org, offerId, ...(nextHandle ? [nextHandle.toString('base64url')] : [])].join('/'),
    owner: subject,
    ...(browser !== undefined && { browser }),
  };
}
