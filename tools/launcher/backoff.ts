const first = 200;
const longest = 10_000;
/** A program that lived this long is taken for healthy: its next end is a new story. */
const healthy = 30_000;

/** How long to wait before a program that ended is started again; all in milliseconds. */
export function nextDelay(previous: number, lived: number): number {
  return previous === 0 || lived >= healthy ? first : Math.min(previous * 2, longest);
}
