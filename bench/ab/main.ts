// Measures two stacks alternately, which tools/testing/bench-ab.ts has started: A of another commit, B of this tree.
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { makeCases, type Case } from '../cases.ts';
import { commitOfClone } from '../history/commit.ts';
import { compareRounds, ratioTable, type PairedRound } from '../history/compare.ts';
import { thisMachine } from '../history/machine.ts';
import { Bench, type Measured } from '../measure.ts';
import { parseOptions, type Options } from '../options.ts';
import { Stack } from '../stack.ts';
import { figure } from '../table.ts';
import { stayOnTwoCores } from '../two-cores.ts';
import { warmUpInTurns } from '../warm-up.ts';

interface Side {
  bench: Bench;
  cases: () => Promise<Case[]>;
  end: () => Promise<void>;
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const [loadBefore = 0] = loadavg();
const options = parse();
const here = join(import.meta.dirname, '..', '..');
const { BENCH_BASE_HOME = '', BENCH_BASE_CLONE = '', BENCH_BASE = '', HOLDFAST_HOME = '' } = process.env;
const a = await sideOf(BENCH_BASE_HOME, BENCH_BASE_CLONE);
const b = await sideOf(HOLDFAST_HOME, here);
const notFlat = await warm();
const rounds = await measure();
await Promise.all([a.end(), b.end()]);

const { cpu } = thisMachine();
const { hash, isChanged } = commitOfClone();
print(`\n${cpu}, two cores; Node.js ${process.version}; ${options.rounds} alternating rounds of ${options.seconds} s`);
print(`A: ${BENCH_BASE}; B: ${hash.slice(0, 12)}${isChanged ? ' with changes' : ''}`);
print(`Load average ${figure(loadBefore)} before, ${figure(loadavg()[0])} after. CPU µs per request by process.`);
if (notFlat.size > 0) print(`Not flat after the warm-up: ${[...notFlat].join(', ')}.`);
if (options.rounds < 5) print('Nothing is marked as beyond the noise with fewer than 5 rounds.');
print(`\n${ratioTable([...rounds].flatMap(([name, paired]) => compareRounds(name, paired)))}`);

/** Seeded by the code of its own commit, which fits its tables. */
async function sideOf(home: string, clone: string): Promise<Side> {
  const stack = new Stack(home, clone);
  await stayOnTwoCores(stack, print);
  const seed = (await import(pathToFileURL(join(clone, 'bench', 'seed.ts')).href)) as typeof import('../seed.ts');
  const pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 2 });
  const bench = new Bench(stack);
  await bench.ready();
  print(`Seeding ${options.subjects} customers ...`);
  const reader = await seed.seedSubjects(stack, pool, options.subjects);
  const chosen = ({ name }: Case): boolean => options.only.length === 0 || options.only.includes(name);
  return {
    bench,
    cases: async () =>
      (await makeCases(stack, reader, pool, bench.stockUrl, options.subjects)).filter((each) => chosen(each)),
    end: async () => {
      bench.end();
      await pool.end();
    },
  };
}

/** @returns the cases that did not become flat on both sides */
async function warm(): Promise<Set<string>> {
  const notFlat = new Set<string>();
  const [ofA, ofB] = [await a.cases(), await b.cases()];
  for (const [i, { name, stack: job, concurrency = options.concurrency }] of ofB.entries()) {
    const load = { concurrency: Math.max(...concurrency), seconds: options.seconds };
    const warmUps = await warmUpInTurns([
      async () => (await a.bench.measure(ofA[i]!.stack, load)).total,
      async () => (await b.bench.measure(job, load)).total,
    ]);
    print(`Warmed up: ${name} after ${warmUps[0]!.runs} runs of each`);
    if (!warmUps.every(({ flat }) => flat)) notFlat.add(name);
  }
  return notFlat;
}

async function measure(): Promise<Map<string, PairedRound[]>> {
  const rounds = new Map<string, PairedRound[]>();
  for (let round = 1; round <= options.rounds; round += 1) {
    // New cases, since tokens expire.
    const [ofA, ofB] = [await a.cases(), await b.cases()];
    for (const [i, { name, concurrency = options.concurrency }] of ofB.entries()) {
      for (const inFlight of concurrency) {
        const load = { concurrency: inFlight, seconds: options.seconds };
        const one = () => a.bench.measure(ofA[i]!.stack, load);
        const other = () => b.bench.measure(ofB[i]!.stack, load);
        // Each side is first in every second round, so that neither always measures what the other leaves behind.
        const measured = round % 2 === 1 ? [await one(), await other()] : [await other(), await one()].reverse();
        const [before, after] = measured as [Measured, Measured];
        if (before.failures + after.failures > 0) throw new Error(`requests of ${name} at ${inFlight} failed`);
        const key = `${name} at ${inFlight}`;
        print(`Round ${round} of ${options.rounds}: ${key}: CPU µs ${figure(before.total)} → ${figure(after.total)}`);
        rounds.set(key, [...(rounds.get(key) ?? []), { a: figuresOf(before), b: figuresOf(after) }]);
      }
    }
  }
  return rounds;
}

function figuresOf({ rate, p99, total, cpu }: Measured): Record<string, number> {
  return { 'req/s': rate, 'p99 ms': p99, 'CPU µs': total, ...cpu };
}

function parse(): Options {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return process.exit(2);
  }
}
