import { setTimeout as sleep } from 'node:timers/promises';

const intervalMs = 1000;

export interface Rollout {
  /** Name of all replicas of a service. */
  all: string;
  /** Name of those of the latest version. */
  latest: string;
  timeoutMs: number;
}

/**
 * Resolves when every replica of a service is of the latest version, or none runs, or the time is up: services also
 * work beside another version, so a rollout that is stuck must not keep others from starting.
 *
 * @param addressesOf none when the name has none
 * @returns why it ended
 */
export async function waitForRollout(
  { all, latest, timeoutMs }: Rollout,
  addressesOf: (name: string) => Promise<string[]>,
  pause: () => Promise<unknown> = () => sleep(intervalMs),
  now: () => number = () => performance.now(),
): Promise<string> {
  const until = now() + timeoutMs;
  for (;;) {
    // The latest first: a replica that appears in between counts as another version once, and not as a missing one.
    const known = await addressesOf(latest);
    const others = (await addressesOf(all)).filter((address) => !known.includes(address));
    if (others.length === 0) return `${all}: no replica of another version`;
    if (now() >= until)
      return `${all}: ${others.length} of another version after ${timeoutMs / 1000} s; starting anyway`;
    await pause();
  }
}
