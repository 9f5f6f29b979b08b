import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Calls `check` every 20 ms until it neither throws nor resolves to false, and resolves to its value. After `timeoutMs`
 * it rejects with the last error of `check`, so that an expect() inside shows what was still missing. When `check`
 * resolved to false, the error names `what` instead.
 */
export async function eventually<T>(
  check: () => Promise<T> | T,
  timeoutMs = 5000,
  what = String(check),
): Promise<Exclude<T, false>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let failure: unknown = new Error(`timed out after ${timeoutMs} ms waiting for ${what}`);
    try {
      const value = await check();
      if (value !== false) return value as Exclude<T, false>;
    } catch (error) {
      failure = error;
    }
    if (Date.now() > deadline) throw failure;
    await sleep(20);
  }
}
