import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@holdfast/platform';
import { TransientCommandError } from '../../command-error.js';
import type { ReadPage } from './live-log.js';

export interface RetryPolicy {
  /** For how long a page is asked for again. */
  patienceMs: number;
  /** Waited for before the second try; twice as long before each further one. */
  firstDelayMs: number;
}

const maxDelayMs = 10_000;

/**
 * Asks for a page again while Holdfast cannot answer, so that a log is read on where it was interrupted, not from the
 * beginning.
 */
export function retrying(
  read: ReadPage,
  { patienceMs, firstDelayMs }: RetryPolicy = { patienceMs: 120_000, firstDelayMs: 250 },
): ReadPage {
  return async (after) => {
    const giveUpAt = Date.now() + patienceMs;
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      try {
        return await read(after);
      } catch (error) {
        const waitMs = Math.max(delayMs, retryAfterMs(error) ?? 0);
        // The first page tells whether anybody is there: a wrong address is not waited for.
        if (after === 0 || retryAfterMs(error) === undefined || Date.now() + waitMs > giveUpAt) throw error;
        await delay(waitMs);
      }
    }
  };
}

/** Undefined when the same request would fail in the same way. */
function retryAfterMs(error: unknown): number | undefined {
  if (error instanceof TransientCommandError) return error.retryAfterMs;
  return error instanceof AppError && error.code === 'unavailable' ? 1000 * (error.retryAfter ?? 0) : undefined;
}
