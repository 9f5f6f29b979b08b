/**
 * Until the next multiple of the interval by the machine's clock, at least a quarter of it: a timer may end a little
 * early.
 */
export function untilTick(intervalMs: number, nowMs = Date.now()): number {
  const leftMs = intervalMs - (nowMs % intervalMs);
  return leftMs < intervalMs / 4 ? leftMs + intervalMs : leftMs;
}

export interface Ticking {
  stop: () => void;
}

/**
 * Runs something at each multiple of the interval by the machine's clock. So what the processes of a machine do again
 * and again happens together, and an idle process wakes up for all of it at once: each wake-up costs 0.1 ms of CPU
 * time, most of what an idle process uses. It keeps no process running.
 */
export function everyTick(intervalMs: number, run: () => void): Ticking {
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    timer = setTimeout(() => {
      schedule();
      run();
    }, untilTick(intervalMs)).unref();
  };
  schedule();
  return { stop: () => clearTimeout(timer) };
}
