import ipaddr from 'ipaddr.js';

/** The only block of IPv6 with public addresses (RFC 4291 §2.4, IANA). */
const globalUnicast = ipaddr.IPv6.parse('2000::');

/**
 * Whether an IP address belongs to the public internet. An IPv4 address in IPv6, mapped (RFC 4291 §2.5.5.2) or NAT64
 * (RFC 6052 §2.1), counts as that IPv4 address. Other tunnels (6to4, Teredo, local NAT64) are not public, since their
 * destination is unknown.
 */
export function isPublicAddress(address: string): boolean {
  // A zone is an interface of this machine.
  if (!ipaddr.isValid(address) || address.includes('%')) return false;
  const ip = ipaddr.process(address);
  if (ip instanceof ipaddr.IPv4) return ip.range() === 'unicast';
  const bytes = ip.toByteArray();
  if (ip.match(ipaddr.IPv6.parse('64:ff9b::'), 96)) return isPublicAddress(bytes.slice(12).join('.'));
  return ip.range() === 'unicast' && ip.match(globalUnicast, 3);
}
