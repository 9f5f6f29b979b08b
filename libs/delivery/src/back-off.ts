interface BackOff {
  /** Time after the first failed attempt; it doubles with each further one. */
  initialMs: number;
  maxMs: number;
  /** A receiver's Retry-After counts up to this time. Without it, it does not count. */
  maxRetryAfterMs?: number;
}

/**
 * Time until the next attempt after `failures` failed ones, with 20 % jitter, so that deliveries that failed together
 * are not retried together. The receiver's Retry-After is the least.
 *
 * @param random between 0 and 1
 */
export function backOffMs(
  { initialMs, maxMs, maxRetryAfterMs = 0 }: BackOff,
  failures: number,
  random: number,
  retryAfterMs = 0,
): number {
  const doubledMs = initialMs * 2 ** Math.min(failures - 1, 30);
  const delayMs = Math.round(Math.min(maxMs, doubledMs) * (0.8 + 0.4 * random));
  return Math.max(delayMs, Math.min(retryAfterMs, maxRetryAfterMs));
}
