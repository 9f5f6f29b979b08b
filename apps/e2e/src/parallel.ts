import { setTimeout as sleep } from 'node:timers/promises';

export { sleep };

/**
 * Tries again until `check` gives a value that is not false or undefined, or until time is up: then the last error, or
 * ours.
 */
export async function eventually<T>(
  check: () => Promise<T | undefined | false>,
  within: number,
  what = 'it',
): Promise<T> {
  const end = performance.now() + within;
  let last: unknown;
  for (;;) {
    try {
      const value = await check();
      if (value !== undefined && value !== false) return value;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (performance.now() > end)
      throw last instanceof Error ? last : new Error(`${what} did not happen within ${within} ms`);
    await sleep(25);
  }
}

/** Works on all items, so many at a time; results stand in the items' order. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]!, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return results;
}

export function times(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
