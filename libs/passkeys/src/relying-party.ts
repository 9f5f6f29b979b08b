/** Whom passkeys are made for (WebAuthn Level 3 §4, "Relying Party Identifier"). */
export interface RelyingParty {
  /** A host. Permanent: passkeys made for one id are worth nothing under another. */
  id: string;
  /** Scheme, host and port of the only pages whose ceremonies count. From configuration, never from a Host header. */
  origin: string;
}

/**
 * The relying party of a house. `rpId` is the host of `baseUrl` or a domain that it lies in.
 * @throws Error when browsers on `baseUrl` could not use it
 */
export function relyingParty(baseUrl: string, rpId?: string): RelyingParty {
  const { origin, hostname } = new URL(baseUrl);
  const id = (rpId ?? hostname).toLowerCase();
  if (hostname !== id && !hostname.endsWith(`.${id}`)) throw new Error(`RP_ID must be the host of BASE_URL (${hostname}) or a domain that it lies in`);
  return { id, origin };
}
