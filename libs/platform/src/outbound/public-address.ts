import ipaddr from 'ipaddr.js';

/** RFC 4291 §2.4, IANA: the only block of IPv6 from which public addresses are given out. */
const globalUnicast = ipaddr.IPv6.parse('2000::');

/**
 * Whether an IP address is one of the public internet. IPv4 inside of IPv6 counts as what it leads to: mapped
 * (RFC 4291 §2.5.5.2) and NAT64 (RFC 6052 §2.1). Other tunnels (6to4, Teredo, local NAT64) lead to where we cannot see.
 */
export function isPublicAddress(address: string): boolean {
  // A zone names an interface of this machine.
  if (!ipaddr.isValid(address) || address.includes('%')) return false;
  const ip = ipaddr.process(address);
  if (ip instanceof ipaddr.IPv4) return ip.range() === 'unicast';
  const bytes = ip.toByteArray();
  if (ip.match(ipaddr.IPv6.parse('64:ff9b::'), 96)) return isPublicAddress(bytes.slice(12).join('.'));
  return ip.range() === 'unicast' && ip.match(globalUnicast, 3);
}
