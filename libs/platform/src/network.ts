import { isIPv6 } from 'node:net';
import type { RequestInfo } from '@holdfast/contracts';

/**
 * Whom an address stands for: an IPv4 address itself, of IPv6 the /64, which is what one subscriber has and may change
 * addresses within. One spelling for each: an IPv4 address in IPv6 clothes is the IPv4 address.
 */
export function networkOf(address: string): string {
  const canonical = canonicalAddress(address);
  if (!isIPv6(canonical)) return canonical;
  return `${groupsOf(canonical)
    .slice(0, 4)
    .map((g) => g.toString(16))
    .join(':')}::/64`;
}

/** The one spelling of an address (RFC 5952), without a zone; an IPv4 address in IPv6 clothes is the IPv4 address. */
export function canonicalAddress(address: string): string {
  const bare = address.split('%')[0]!;
  if (!isIPv6(bare)) return bare;
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const groups = groupsOf(canonical);
  const [high = 0, low = 0] = groups.slice(6);
  const mapped = groups.slice(0, 5).every((g) => g === 0) && groups[5] === 0xffff;
  return mapped ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : canonical;
}

const longestUserAgent = 512;

/**
 * Of a person's request, what a record may keep of where it came from: as long as a record's members may be, and
 * well-formed.
 */
export function personalOrigin(
  address: string | undefined,
  userAgent: string | undefined,
): Pick<RequestInfo, 'address' | 'userAgent'> {
  return {
    ...(address && { address: canonicalAddress(address) }),
    ...(userAgent && { userAgent: userAgent.slice(0, longestUserAgent).toWellFormed() }),
  };
}

/** The eight groups of a canonical IPv6 address (RFC 5952), as URL writes it. */
function groupsOf(canonical: string): number[] {
  const [front = [], back = []] = canonical.split('::').map((part) =>
    part
      .split(':')
      .filter(Boolean)
      .map((g) => Number.parseInt(g, 16)),
  );
  return [...front, ...Array.from({ length: 8 - front.length - back.length }, () => 0), ...back];
}
