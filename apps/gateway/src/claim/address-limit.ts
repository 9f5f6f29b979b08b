import { networkOf } from '@holdfast/kit';
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
