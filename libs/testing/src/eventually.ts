import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks every 20 ms until `ask` neither throws nor resolves to false, and gives back what it resolved to. After `ms`
 * milliseconds it fails with the last error of `ask`, so that an expect() inside says what was still missing.
 */
export async function eventually<T>(ask: () => Promise<T> | T, ms = 5000): Promise<Exclude<T, false>> {
  const deadline = Date.now() + ms;
  for (;;) {
    let failure: unknown = new Error(`did not come true within ${ms} ms: ${String(ask)}`);
    try {
      const answer = await ask();
      if (answer !== false) return answer as Exclude<T, false>;
    } catch (error) {
      failure = error;
    }
    if (Date.now() > deadline) throw failure;
    await sleep(20);
  }
}
