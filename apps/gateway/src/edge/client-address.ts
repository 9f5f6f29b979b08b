import { BlockList, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { addressIn, canonicalAddress } from '@holdfast/platform';

/** Whether an address is that of a trusted proxy: for Fastify's `trustProxy`, and for limits of connections. */
export function trustedProxies(networks: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [given = '', bits] = network.split('/');
    const address = bits === undefined ? canonicalAddress(given) : given;
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return (text) => {
    const address = text === undefined ? undefined : addressIn(text);
    return address !== undefined && list.check(address, familyOf(address));
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

/**
 * The address that counts for limits and is recorded. Fastify goes through X-Forwarded-For from its end, as long as the
 * addresses are those of trusted proxies: `ips` has them, and last the first one that is not. When that is no address,
 * the request counts for the proxy that sent it: a client could choose another text for each request. Empty when the
 * connection was reset before its address could be read.
 */
export function clientAddressOf({ ip, ips = [ip] }: Pick<FastifyRequest, 'ip'> & Partial<FastifyRequest>): string {
  for (const text of [...ips].reverse()) {
    // The types do not say that it is undefined after a reset.
    const address = (text as string | undefined) === undefined ? undefined : addressIn(text);
    if (address !== undefined) return address;
  }
  return '';
}
