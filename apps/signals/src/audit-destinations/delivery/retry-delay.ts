const initialMs = 1000;
const maxMs = 300_000;
/** A receiver may ask for a longer pause than the back-off, but not stop the log for a day. */
const maxRetryAfterMs = 3_600_000;

/**
 * Time until the next attempt after `failures` failed ones, which ends never: doubled up to five minutes, with 20 %
 * jitter, so that destinations that failed together are not retried together. The receiver's Retry-After is the
 * least. `random` is between 0 and 1.
 */
export function retryDelayMs(failures: number, random: number, retryAfterMs = 0): number {
  const backOffMs = Math.min(maxMs, initialMs * 2 ** Math.min(failures - 1, 20)) * (0.8 + 0.4 * random);
  return Math.max(backOffMs, Math.min(retryAfterMs, maxRetryAfterMs));
}
