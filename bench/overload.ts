import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Case } from './cases.ts';
import { MemorySamples, type MemoryUse } from './memory-samples.ts';
import { recoverySeconds } from './recovery.ts';
import type { Stack } from './stack.ts';
import { figure, megabytes, table } from './table.ts';
import type { HttpJob } from './workers/job.ts';
import type { OpenLoop, Phase, PhaseResult } from './workers/phases.ts';

export interface Overload {
  name: string;
  peak: PhaseResult;
  before: PhaseResult;
  during: PhaseResult;
  after: PhaseResult;
  /** Seconds after the end of the overload; undefined if it had not recovered when the measurement ended. */
  recovery: number | undefined;
  memory: Map<string, MemoryUse>;
}

const names = ['token', 'get', 'offer'];
const factor = 5;
/** Of the peak, before and after the overload: a usual load, whose latency is that of no queue. */
const usualShare = 0.5;
const warmUpConcurrency = 64;
const warmUpSeconds = 10;
/** The peak is the best of these. */
const peakConcurrencies = [64, 128, 256];
const peakSeconds = 5;
const usualSeconds = 10;
const recoverySecondsMeasured = 15;

/**
 * What happens when five times as many requests arrive as the stack can serve: a usual load, the overload for
 * `seconds`, and the usual load again. It ends after these times and the time limit of the last request.
 */
export async function measureOverload(
  cases: Case[],
  stack: Stack,
  { seconds, connections }: { seconds: number; connections: number },
  print: (text: string) => void,
): Promise<Overload[]> {
  const results: Overload[] = [];
  for (const { name, stack: job } of cases) {
    if (job.kind !== 'http') continue;
    const generator = new Generator(job, connections);
    const peakPhases = peakConcurrencies.map((concurrency) => ({
      name: `${concurrency} at once`,
      concurrency,
      seconds: peakSeconds,
    }));
    print(`Overload: ${name}, warming up and measuring the peak ...`);
    const [, ...peaks] = await generator.run([
      { name: 'warm-up', concurrency: warmUpConcurrency, seconds: warmUpSeconds },
      ...peakPhases,
    ]);
    const peak = peaks.reduce((best, one) => (rateOf(one) > rateOf(best) ? one : best));
    const rate = rateOf(peak);
    await sleep(1000);
    print(`Overload: ${name}, ${figure(rate * factor)} arrivals a second for ${seconds} s ...`);
    const samples = new MemorySamples(stack);
    const [before, during, after] = await generator.run([
      { name: 'before', rate: rate * usualShare, seconds: usualSeconds },
      { name: `${factor}x`, rate: rate * factor, seconds },
      { name: 'after', rate: rate * usualShare, seconds: recoverySecondsMeasured },
    ]);
    const memory = samples.end(usualSeconds, usualSeconds + seconds);
    generator.end();
    const recovery = recoverySeconds(before!.slices, after!.slices);
    results.push({ name, peak, before: before!, during: during!, after: after!, recovery, memory });
  }
  return results;
}

/** The cases of an overload that were selected; all if none was. */
export function overloadCases(cases: Case[], only: readonly string[]): Case[] {
  const selected = names.filter((name) => only.includes(name));
  return cases.filter(({ name }) => (selected.length > 0 ? selected : names).includes(name));
}

class Generator {
  readonly #job: HttpJob;
  readonly #connections: number;
  readonly #child = fork(fileURLToPath(new URL('./workers/open-loop.ts', import.meta.url)), [], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    // JSON would make null of NaN.
    serialization: 'advanced',
  });

  constructor(job: HttpJob, connections: number) {
    this.#job = job;
    this.#connections = connections;
  }

  async run(phases: Phase[]): Promise<PhaseResult[]> {
    const { url, requests, expect } = this.#job;
    const connections = this.#connections;
    this.#child.send({ job: { url, requests, expect, connections, phases } satisfies OpenLoop });
    const [{ result, error }] = (await once(this.#child, 'message')) as [{ result?: PhaseResult[]; error?: string }];
    if (!result) throw new Error(error);
    return result;
  }

  end(): void {
    this.#child.disconnect();
  }
}

function rateOf({ good, seconds }: PhaseResult): number {
  return good / seconds;
}

function coresOf({ ownCpu, seconds }: PhaseResult): number {
  return ownCpu / 1e6 / seconds;
}

export function overloadTable(overloads: Overload[]): string {
  const rows = overloads.flatMap(({ name, peak, before, during, after, recovery }) =>
    [peak, before, during, after].map((phase) => [
      `${name}, ${phase.name}`,
      figure(phase.due / phase.seconds),
      figure(rateOf(phase)),
      phase === during ? figure(rateOf(during) / rateOf(peak)) : '',
      String(phase.unsent),
      String(phase.rejected),
      failuresOf(phase),
      figure(phase.p50),
      figure(phase.p99),
      figure(phase.rejectedP99),
      figure(coresOf(phase)),
      phase === after ? (recovery === undefined ? 'no' : figure(recovery)) : '',
    ]),
  );
  const head = [
    'due/s',
    'good/s',
    'good ÷ peak',
    'unsent',
    'rejected',
    'failed',
    'p50 ms',
    'p99 ms',
    'rejected p99 ms',
  ];
  return table(['overload', ...head, 'generator cores', 'recovered after s'], rows);
}

function failuresOf({ failed }: PhaseResult): string {
  const reasons = Object.entries(failed);
  return reasons.length === 0 ? '0' : reasons.map(([reason, count]) => `${count} (${reason})`).join('\n');
}

/** RSS of each process, and the heap of the services of Node.js. */
export function overloadMemoryTable(overloads: Overload[]): string {
  const times = ['before', 'firstHalf', 'secondHalf', 'after'] as const;
  const rows = overloads.flatMap(({ name, memory }) =>
    [...memory].map(([process, use]) => [
      `${name}, ${process}`,
      ...times.map((at) => megabytes(use.rss[at])),
      ...times.map((at) => (use.heap ? megabytes(use.heap[at]) : '')),
    ]),
  );
  const columns = ['before', '1st half', '2nd half', 'after'];
  return table(['memory, MB', ...columns.map((c) => `RSS ${c}`), ...columns.map((c) => `heap ${c}`)], rows);
}
