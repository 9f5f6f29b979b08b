import { Resolver } from 'node:dns/promises';
import { notAllowed, OutboundError } from './outbound-error.js';
import { isPublicAddress } from './public-address.js';

/** The addresses of a name, IPv4 and IPv6; throws when there are none. */
export type Resolve = (hostname: string) => Promise<string[]>;

/**
 * Queries the name servers directly. getaddrinfo blocks one of four threads while a name server does not respond, and
 * the same threads sign tokens: a URL that somebody registered could stop that.
 */
export const resolveWithNameServers: Resolve = (hostname) => resolveBy(hostname);

/** @param servers instead of those of the machine, such as `127.0.0.1:5353` */
export async function resolveBy(hostname: string, servers?: readonly string[]): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  if (servers) resolver.setServers(servers);
  const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
}

export async function publicAddresses(
  hostname: string,
  resolve: Resolve,
): Promise<{ address: string; family: 4 | 6 }[]> {
  const addresses = await resolve(hostname);
  if (addresses.length === 0) throw new OutboundError('no response', 'no response: the name does not resolve.');
  // Rejected even if only one is not public, since any of them may be chosen.
  if (!addresses.every(isPublicAddress))
    throw notAllowed('its name leads to an address that is not of the public internet.');
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}
