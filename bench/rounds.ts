import type { Case } from './cases.ts';
import type { Bench, Measured } from './measure.ts';
import type { Options } from './options.ts';
import { warmUp } from './warm-up.ts';
import type { Job } from './workers/job.ts';

/** One measurement of the stack and the one of the yardstick right beside it. */
export interface Pair {
  name: string;
  against: string;
  concurrency: number;
  stack: Measured;
  baseline?: Measured;
}

/**
 * Stack and yardstick in turn, and the whole again each round: what else the machine does hits both. `cases` is asked
 * for each round, since tokens run out.
 */
export async function runRounds(
  bench: Bench,
  cases: () => Promise<Case[]>,
  { rounds, seconds, concurrency, only }: Options,
  progress: (text: string) => void,
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const { name, stack, baseline, concurrency: own = concurrency } of await cases()) {
    if (only.length > 0 && !only.includes(name)) continue;
    const load = { concurrency: Math.max(...own), seconds };
    const warm = async (job: Job): Promise<number> =>
      (await warmUp(async () => (await bench.measure(job, load)).total)).length;
    const runs = { stack: await warm(stack), baseline: baseline && (await warm(baseline)) };
    progress(`warm: ${name} after ${runs.stack} runs${runs.baseline ? `, yardstick after ${runs.baseline}` : ''}`);
  }
  for (let round = 1; round <= rounds; round++) {
    for (const { name, against, stack, baseline, concurrency: own = concurrency } of await cases()) {
      if (only.length > 0 && !only.includes(name)) continue;
      for (const inFlight of own) {
        const load = { concurrency: inFlight, seconds };
        const measured = {
          stack: await bench.measure(stack, load),
          baseline: baseline && (await bench.measure(baseline, load)),
        };
        progress(
          `round ${round} of ${rounds}: ${name} at ${inFlight}: ${measured.stack.rate.toFixed(0)}/s${measured.baseline ? `, yardstick ${measured.baseline.rate.toFixed(0)}/s` : ''}`,
        );
        pairs.push({ name, against, concurrency: inFlight, ...measured });
      }
    }
  }
  return pairs;
}
