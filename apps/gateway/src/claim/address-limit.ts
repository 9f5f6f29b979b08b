import { isIPv4, isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';

interface Bucket {
  tokens: number;
  /** When it was last filled, in ms. */
  at: number;
}

/**
 * Requests per address, as a bucket that holds a minute's worth and fills evenly. In this process alone: replicas count
 * apart. The least recently seen address is forgotten first, so that no flood of addresses fills the memory.
 */
export class AddressLimit {
  private readonly buckets: LRUCache<string, Bucket>;

  constructor(
    private readonly perMinute: number,
    most = 50_000,
  ) {
    this.buckets = new LRUCache({ max: most });
  }

  /** Takes one request of this address; says how many seconds it must wait, 0 when it need not. `now` is in ms. */
  take(address: string, now: number): number {
    const network = networkOf(address);
    const { tokens, at } = this.buckets.get(network) ?? { tokens: this.perMinute, at: now };
    const filled = Math.min(this.perMinute, tokens + ((now - at) / 60_000) * this.perMinute);
    const left = filled < 1 ? filled : filled - 1;
    this.buckets.set(network, { tokens: left, at: now });
    return filled < 1 ? Math.ceil(((1 - filled) * 60) / this.perMinute) : 0;
  }
}

/**
 * Whom an address stands for: an IPv4 address itself, of IPv6 the /64, which is what one subscriber has and may change
 * addresses within. One spelling for each: an IPv4 address in IPv6 clothes is the IPv4 address.
 */
export function networkOf(address: string): string {
  const bare = address.split('%')[0]!;
  if (isIPv4(bare) || !isIPv6(bare)) return bare;
  const groups = groupsOf(new URL(`http://[${bare}]`).hostname.slice(1, -1));
  const [high = 0, low = 0] = groups.slice(6);
  const mapped = groups.slice(0, 5).every((g) => g === 0) && groups[5] === 0xffff;
  if (mapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return `${groups.slice(0, 4).map((g) => g.toString(16)).join(':')}::/64`;
}

/** The eight groups of a canonical IPv6 address (RFC 5952), as URL writes it. */
function groupsOf(canonical: string): number[] {
  const [front = [], back = []] = canonical.split('::').map((part) => part.split(':').filter(Boolean).map((g) => Number.parseInt(g, 16)));
  return [...front, ...Array.from({ length: 8 - front.length - back.length }, () => 0), ...back];
}
