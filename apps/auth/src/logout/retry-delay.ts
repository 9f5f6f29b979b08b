const first = 1000;
const longest = 3_600_000;

/**
 * Ms until the next attempt after `attempts` that failed: doubling up to an hour, a fifth more or less, so that what
 * failed together is not tried together.
 */
export function retryDelay(attempts: number, random: number): number {
  return Math.min(longest, first * 2 ** (attempts - 1)) * (0.8 + 0.4 * random);
}
