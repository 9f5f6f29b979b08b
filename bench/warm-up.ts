/** A run counts as flat when it differs from the one before by at most this share. */
const maxDifference = 0.05;
const minRuns = 3;
const maxRuns = 10;

export interface WarmUp {
  runs: number;
  /** Whether the last three runs were flat: the steady state. Otherwise the figures contain some of the warm-up. */
  flat: boolean;
}

/**
 * Repeats a measurement until it is flat: CPU per request of the last two runs is within 5 % of the run before. V8
 * optimizes and pools fill for some seconds. It ends after ten runs (about 20 s of load) in any case; then the machine
 * was too busy.
 */
export async function warmUp(measure: () => Promise<number>): Promise<WarmUp> {
  const [result] = await warmUpInTurns([measure]);
  return result!;
}

/**
 * Warms up several stacks, one run of each in turn, until all are flat. A stack that rests for minutes while another
 * one is warmed up is slower afterwards: two equal stacks had a ratio of 0.61 to 0.96.
 */
export async function warmUpInTurns(measures: readonly (() => Promise<number>)[]): Promise<WarmUp[]> {
  const seen = measures.map((): number[] => []);
  for (let runs = 0; runs < maxRuns && !seen.every(isFlat); runs += 1)
    for (const [i, measure] of measures.entries()) seen[i]!.push(await measure());
  return seen.map((each) => ({ runs: each.length, flat: isFlat(each) }));
}

export function isFlat(seen: readonly number[]): boolean {
  if (seen.length < minRuns) return false;
  const [first, second, third] = seen.slice(-minRuns) as [number, number, number];
  return [second / first, third / second].every((ratio) => Math.abs(ratio - 1) <= maxDifference);
}
