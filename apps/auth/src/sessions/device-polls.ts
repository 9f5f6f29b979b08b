import { LRUCache } from 'lru-cache';
import { errors, type AdapterPayload } from 'oidc-provider';

/** How often a device may ask for its tokens (RFC 8628 §3.2). The response to its request says so. */
export const pollSeconds = 5;
/** A request may be faster than the one before it. */
const toleranceMs = 1000;

/** When each device asked last. A replica knows its own requests only, so more replicas allow more of them. */
const lastPollMs = new LRUCache<string, number>({ max: 20_000, ttl: 60_000 });

/**
 * Makes a device wait that asks too often while nobody has decided (RFC 8628 §3.5).
 * @param nowMs of a monotonic clock
 * @throws SlowDown
 */
export function requirePace(deviceCode: string, { accountId, error }: AdapterPayload, nowMs = performance.now()): void {
  if (accountId !== undefined || error !== undefined) return;
  const beforeMs = lastPollMs.get(deviceCode);
  lastPollMs.set(deviceCode, nowMs);
  if (beforeMs !== undefined && nowMs - beforeMs < pollSeconds * 1000 - toleranceMs) throw new errors.SlowDown();
}
