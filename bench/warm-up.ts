/** What a run may differ from the one before and still count as flat. */
const flatWithin = 0.05;
const fewestRuns = 3;
const mostRuns = 10;

/**
 * Repeats a measurement until it is flat: CPU per request of the last two runs each within 5 % of the run before, since
 * V8 optimizes and pools fill over seconds. Ten runs (about 20 s of load) at the most; on a noisy machine they say that
 * it never was.
 */
export async function warmUp(measure: () => Promise<number>): Promise<number[]> {
  const seen: number[] = [];
  while (seen.length < mostRuns && !isFlat(seen)) seen.push(await measure());
  return seen;
}

export function isFlat(seen: readonly number[]): boolean {
  if (seen.length < fewestRuns) return false;
  const [first, second, third] = seen.slice(-fewestRuns) as [number, number, number];
  return [second / first, third / second].every((ratio) => Math.abs(ratio - 1) <= flatWithin);
}
