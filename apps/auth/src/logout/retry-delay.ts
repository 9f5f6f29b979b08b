const initialMs = 1000;
const maxMs = 3_600_000;

/**
 * Time until the next attempt after `attempts` failed ones. It doubles up to an hour, with 20 % jitter, so that
 * notifications that failed together are not retried together. `random` is between 0 and 1.
 */
export function retryDelayMs(attempts: number, random: number): number {
  return Math.min(maxMs, initialMs * 2 ** (attempts - 1)) * (0.8 + 0.4 * random);
}
