import type { Shutdown } from './parts.js';

export interface Repeated {
  /** Milliseconds from the beginning of a round to that of the next; one that takes longer is waited for. */
  every: number;
  /** Asked before each round: without it, this one is left out. For what ends for ever, `() => mayExpire(clock)`. */
  permitted?: () => boolean;
  /** One round. A long one looks at `stopping()` between its steps. */
  work: (stopping: () => boolean) => Promise<unknown>;
  /** Says what became of a round that failed; the next one comes all the same. */
  failed: (error: unknown) => void;
}

/** Does the same again and again, one round at a time, until the service stops, which waits for a round under way. */
export function repeat(shutdown: Shutdown, { every, permitted = () => true, work, failed }: Repeated): void {
  let stopped = false;
  let round: Promise<void> | undefined;
  const begin = async (): Promise<void> => {
    try {
      if (permitted()) await work(() => stopped);
    } catch (error) {
      failed(error);
    }
  };
  const timer = setInterval(() => void (round ??= begin().finally(() => (round = undefined))), every);
  shutdown.before(async () => {
    stopped = true;
    clearInterval(timer);
    await round;
  });
}
