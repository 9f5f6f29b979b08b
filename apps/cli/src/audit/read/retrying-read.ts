import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@holdfast/platform';
import { TransientCommandError } from '../../command-error.js';
import type { ReadPage } from './live-log.js';

interface RetryPolicy {
  /** How long a page is requested again. */
  timeoutMs: number;
  /** Delay before the second attempt; it doubles before each further one. */
  firstDelayMs: number;
}

const maxDelayMs = 10_000;

/** Requests a page again while Holdfast is unavailable: reading resumes at the failed page, not at the beginning. */
export function retrying(
  read: ReadPage,
  { timeoutMs, firstDelayMs }: RetryPolicy = { timeoutMs: 120_000, firstDelayMs: 250 },
): ReadPage {
  return async (after) => {
    const giveUpAt = Date.now() + timeoutMs;
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      try {
        return await read(after);
      } catch (error) {
        const waitMs = Math.max(delayMs, retryAfterMs(error) ?? 0);
        // The first page is not retried, so that a wrong address fails at once.
        if (after === 0 || retryAfterMs(error) === undefined || Date.now() + waitMs > giveUpAt) throw error;
        await delay(waitMs);
      }
    }
  };
}

/** @returns undefined for a permanent error */
function retryAfterMs(error: unknown): number | undefined {
  if (error instanceof TransientCommandError) return error.retryAfterMs;
  return error instanceof AppError && error.code === 'unavailable' ? 1000 * (error.retryAfter ?? 0) : undefined;
}
