import { coversHost, type RelyingPartyIds } from '@holdfast/contracts';

/** The site for which passkeys are created (WebAuthn Level 3 §4, "Relying Party Identifier"). */
export interface RelyingParty {
  /** A host name. A passkey works with the RP ID that it was created for only. */
  id: string;
  /** During a move to another RP ID: passkeys of this one are accepted as well, and none are created for it. */
  earlierId?: string;
  /** Scheme, host and port of the pages whose ceremonies are accepted. From configuration, never from a Host header. */
  origin: string;
}

/**
 * The relying party of a deployment. `rpId` is the host of `baseUrl` or a domain that it lies in.
 * @throws Error when browsers on `baseUrl` could not use it
 */
export function relyingParty(baseUrl: string, rpId?: string): RelyingParty {
  const { origin, hostname } = new URL(baseUrl);
  const id = (rpId ?? hostname).toLowerCase();
  if (!coversHost(id, hostname))
    throw new Error(`RP_ID must be the host of BASE_URL (${hostname}) or a domain that it lies in`);
  return { id, origin };
}

/** The relying party of an organization. Its RP ID defaults to the deployment's; its origin is the deployment's. */
export function relyingPartyOf(
  { id: ownId, origin }: RelyingParty,
  { rpId, earlier }: RelyingPartyIds = {},
): RelyingParty {
  const id = rpId ?? ownId;
  const earlierId = earlier && (earlier.rpId ?? ownId);
  return { id, origin, ...(earlierId !== undefined && earlierId !== id && { earlierId }) };
}

/** Whether passkeys of this RP ID are accepted. */
export function acceptsPasskeysOf({ id, earlierId }: RelyingParty, rpId: string): boolean {
  return rpId === id || rpId === earlierId;
}
