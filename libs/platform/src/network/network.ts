import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { RequestInfo } from '@holdfast/contracts';

/**
 * The network that one subscriber has: an IPv4 address itself, and the /64 of an IPv6 address, within which a
 * subscriber may change addresses.
 */
export function networkOf(address: string): string {
  const canonical = canonicalAddress(address);
  if (!isIPv6(canonical)) return canonical;
  const prefix = ipaddr.IPv6.parse(canonical).parts.slice(0, 4);
  return `${prefix.map((group) => group.toString(16)).join(':')}::/64`;
}

/** One spelling of each address (RFC 5952), without a zone; of an IPv4-mapped IPv6 address the IPv4 address. */
export function canonicalAddress(address: string): string {
  const bare = address.split('%')[0]!;
  if (!isIPv6(bare)) return bare;
  const ip = ipaddr.process(bare);
  return ip instanceof ipaddr.IPv6 ? ip.toRFC5952String() : ip.toString();
}

/**
 * The address in a value of X-Forwarded-For, canonical: some proxies write the port too, and brackets around an IPv6
 * address. Undefined when it has none: other text, also another spelling of an IPv4 address such as `0x7f.1`, must
 * neither count as an address of its own nor be recorded as one.
 */
export function addressIn(text: string): string | undefined {
  const [, bracketed, withPort] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? [];
  const bare = (bracketed ?? withPort ?? text).split('%')[0]!;
  return isIP(bare) === 0 ? undefined : canonicalAddress(bare);
}

const maxUserAgentLength = 512;

/**
 * Address and user agent of a person's request in the form of an audit record: well-formed, and no longer than the
 * record's schema allows.
 */
export function personalOrigin(
  address: string | undefined,
  userAgent: string | undefined,
): Pick<RequestInfo, 'address' | 'userAgent'> {
  return {
    ...(address && { address: canonicalAddress(address) }),
    ...(userAgent && { userAgent: userAgent.slice(0, maxUserAgentLength).toWellFormed() }),
  };
}
