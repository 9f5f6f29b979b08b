const firstMs = 200;
const maxMs = 10_000;
/** A program that ran this long was healthy, so the delays begin again. */
const healthyMs = 30_000;

/** How long to wait before a program that has ended is started again. */
export function nextDelayMs(previousMs: number, ranForMs: number): number {
  return previousMs === 0 || ranForMs >= healthyMs ? firstMs : Math.min(previousMs * 2, maxMs);
}
