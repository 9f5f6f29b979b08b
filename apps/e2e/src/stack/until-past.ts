import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves shortly after this time, by the clock of this machine, which the services use as well. */
export function untilPast(time: string | number | Date): Promise<void> {
  return sleep(Math.max(0, new Date(time).getTime() - Date.now()) + 20);
}
