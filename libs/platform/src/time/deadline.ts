import { AsyncLocalStorage } from 'node:async_hooks';
import { unavailable, type AppError } from '../errors/app-error.js';

const deadlines = new AsyncLocalStorage<number>();

/** Runs `work` for a caller that waits until `expiresAt` (of performance.now()); undefined means without a deadline. */
export function withDeadline<T>(expiresAt: number | undefined, work: () => T): T {
  return expiresAt === undefined ? work() : deadlines.run(expiresAt, work);
}

/** How long the caller of the current work still waits, in ms; Infinity without a deadline. */
export function remainingMs(): number {
  return (deadlines.getStore() ?? Infinity) - performance.now();
}

/** 503 of a request whose caller no longer waits. Nothing has been done. */
export function expired(): AppError {
  return unavailable('The caller no longer waits for this, so it was not begun.', 1, {
    dependency: 'admission',
    cause: 'expired',
  });
}
