import type { Case } from './cases.ts';
import type { Bench, Measured } from './measure.ts';
import type { Options } from './options.ts';

/** One measurement of the house and the one of the yardstick right beside it. */
export interface Pair {
  name: string;
  against: string;
  concurrency: number;
  house: Measured;
  baseline?: Measured;
}

/**
 * House and yardstick in turn, and the whole again each round: what else the machine does hits both. `cases` is asked for
 * each round, since tokens run out.
 */
export async function runRounds(bench: Bench, cases: () => Promise<Case[]>, { rounds, seconds, concurrency, only }: Options, progress: (text: string) => void): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let round = 0; round <= rounds; round++) {
    for (const { name, against, house, baseline, concurrency: own = concurrency } of await cases()) {
      if (only.length > 0 && !only.includes(name)) continue;
      for (const inFlight of round === 0 ? [Math.max(...own)] : own) {
        const load = { concurrency: inFlight, seconds };
        const measured = { house: await bench.measure(house, load), baseline: baseline && (await bench.measure(baseline, load)) };
        progress(`${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}: ${name} at ${inFlight}: ${measured.house.rate.toFixed(0)}/s${measured.baseline ? `, yardstick ${measured.baseline.rate.toFixed(0)}/s` : ''}`);
        if (round > 0) pairs.push({ name, against, concurrency: inFlight, ...measured });
      }
    }
  }
  return pairs;
}
