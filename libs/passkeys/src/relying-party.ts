import { coversHost, type RelyingPartyIds } from '@holdfast/contracts';

/** Whom passkeys are made for (WebAuthn Level 3 §4, "Relying Party Identifier"). */
export interface RelyingParty {
  /** A host. Passkeys made for one id are worth nothing under another. */
  id: string;
  /** While customers move: passkeys made for this id are taken as well. None are made for it. */
  earlierId?: string;
  /** Scheme, host and port of the only pages whose ceremonies count. From configuration, never from a Host header. */
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

/**
 * The relying party of an organization; what it leaves open is the deployment's. Its pages are the deployment's in any
 * case.
 */
export function relyingPartyOf(
  { id: ownId, origin }: RelyingParty,
  { rpId, earlier }: RelyingPartyIds = {},
): RelyingParty {
  const id = rpId ?? ownId;
  const earlierId = earlier && (earlier.rpId ?? ownId);
  return { id, origin, ...(earlierId !== undefined && earlierId !== id && { earlierId }) };
}

/** Whether passkeys made for this id are taken. */
export function acceptsPasskeysOf({ id, earlierId }: RelyingParty, rpId: string): boolean {
  return rpId === id || rpId === earlierId;
}
