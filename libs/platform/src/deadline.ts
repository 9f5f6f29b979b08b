import { AsyncLocalStorage } from 'node:async_hooks';
import { unavailable, type AppError } from './app-error.js';

const deadlines = new AsyncLocalStorage<number>();

/** Runs `work` for a caller who waits until `expiresAt`, in ms of performance.now(); undefined when nobody says so. */
export function withDeadline<T>(expiresAt: number | undefined, work: () => T): T {
  return expiresAt === undefined ? work() : deadlines.run(expiresAt, work);
}

/** How long whoever asked for this still waits, in ms; Infinity when nobody does. */
export function remainingMs(): number {
  return (deadlines.getStore() ?? Infinity) - performance.now();
}

/** 503 for what is not begun, since its caller has gone. Nothing has been done. */
export function expired(): AppError {
  return unavailable('The caller no longer waits for this, so it was not begun.', 1, {
    dependency: 'admission',
    cause: 'expired',
  });
}
