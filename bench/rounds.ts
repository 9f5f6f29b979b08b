import type { Case } from './cases.ts';
import type { Bench, Measured } from './measure.ts';
import type { Options } from './options.ts';
import { warmUp, type WarmUp } from './warm-up.ts';
import type { Job } from './workers/job.ts';

/** One measurement of the stack, and the one of the baseline right after it. */
export interface Pair {
  name: string;
  against: string;
  concurrency: number;
  /** Of the stack, before the first round. */
  warmUp: WarmUp;
  stack: Measured;
  baseline?: Measured;
}

/**
 * Measures stack and baseline alternately in each round, so that other load on the machine affects both. Each round
 * gets new cases, since tokens expire.
 */
export async function runRounds(
  bench: Bench,
  cases: () => Promise<Case[]>,
  { rounds, seconds, concurrency, only }: Options,
  progress: (text: string) => void,
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  const warmUps = new Map<string, WarmUp>();
  for (const { name, stack, baseline, concurrency: own = concurrency } of await cases()) {
    if (only.length > 0 && !only.includes(name)) continue;
    const load = { concurrency: Math.max(...own), seconds };
    const warm = (job: Job): Promise<WarmUp> => warmUp(async () => (await bench.measure(job, load)).total);
    const ofStack = await warm(stack);
    const ofBaseline = baseline && (await warm(baseline));
    warmUps.set(name, ofStack);
    progress(`Warmed up: ${name} ${describe(ofStack)}${ofBaseline ? `, baseline ${describe(ofBaseline)}` : ''}`);
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
        const baselineRate = measured.baseline ? `, baseline ${measured.baseline.rate.toFixed(0)}/s` : '';
        const rate = `${measured.stack.rate.toFixed(0)}/s${baselineRate}`;
        progress(`Round ${round} of ${rounds}: ${name} at ${inFlight}: ${rate}`);
        pairs.push({ name, against, concurrency: inFlight, warmUp: warmUps.get(name)!, ...measured });
      }
    }
  }
  return pairs;
}

function describe({ runs, flat }: WarmUp): string {
  return flat ? `flat after ${runs} runs` : `not flat after ${runs} runs`;
}
