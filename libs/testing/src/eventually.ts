import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Calls `check` every 20 ms until it neither throws nor resolves to false, and resolves to its value. After `timeoutMs`
 * it rejects with the last error of `check`, so that an expect() inside shows what was still missing. When `check`
 * resolved to false, the error names `what` instead. The time is long, since only a test that fails waits for its end:
 * what takes a moment on a quiet machine can take many seconds beside other work.
 */
export async function eventually<T>(
  check: () => Promise<T> | T,
  what = String(check),
  timeoutMs = 90_000,
): Promise<Exclude<T, false>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let failure: unknown = new Error(`timed out after ${timeoutMs} ms waiting for ${what}`);
    try {
      const value = await check();
      if (value !== false) return value as Exclude<T, false>;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > deadline) throw failure;
    await sleep(20);
  }
}
