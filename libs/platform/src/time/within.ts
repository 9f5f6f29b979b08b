/**
 * Waits for `work` at most `timeoutMs`, then rejects. Work that still runs then is not stopped: what it waits for needs
 * a time limit of its own.
 *
 * @param late makes the error of work that takes longer
 */
export function within<T>(
  timeoutMs: number,
  work: Promise<T>,
  late = (): Error => new Error(`no response within ${timeoutMs} ms`),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
