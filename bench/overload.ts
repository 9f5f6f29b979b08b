import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Case } from './cases.ts';
import type { Bench } from './measure.ts';
import { figure, table } from './table.ts';
import type { HttpJob } from './workers/job.ts';
import type { OpenLoop, OpenLoopResult } from './workers/open-loop.ts';

export interface Overload {
  name: string;
  /** Responses per second with 64 concurrent requests, without a pause between requests. */
  peak: number;
  loads: (OpenLoopResult & { times: number })[];
}

const names = ['token', 'get', 'offer'];
const warmUpSeconds = 8;
/** Fewer than a gateway accepts from one address. */
const connections = 800;
const restMs = 3000;

/** Goodput when requests arrive at the rate of the peak, and at five times that rate. */
export async function measureOverload(
  cases: Case[],
  bench: Bench,
  seconds: number,
  print: (text: string) => void,
): Promise<Overload[]> {
  const results: Overload[] = [];
  for (const { name, stack } of cases) {
    if (!names.includes(name) || stack.kind !== 'http') continue;
    print(`Overload: ${name}, warming up and measuring the peak ...`);
    await bench.measure(stack, { concurrency: 64, seconds: warmUpSeconds });
    const peak = (await bench.measure(stack, { concurrency: 64, seconds })).rate;
    const loads: Overload['loads'] = [];
    for (const times of [1, 5]) {
      print(`Overload: ${name}, ${figure(peak * times)} arrivals a second for ${seconds} s ...`);
      loads.push({ ...(await openLoop(stack, peak * times, seconds)), times });
      await sleep(restMs);
    }
    results.push({ name, peak, loads });
  }
  return results;
}

async function openLoop({ url, requests, expect }: HttpJob, rate: number, seconds: number): Promise<OpenLoopResult> {
  const child = fork(fileURLToPath(new URL('./workers/open-loop.ts', import.meta.url)), [], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  child.send({ job: { url, requests, expect, rate, seconds, connections } satisfies OpenLoop });
  const [{ result, error }] = (await once(child, 'message')) as [{ result?: OpenLoopResult; error?: string }];
  child.disconnect();
  if (!result) throw new Error(error);
  return result;
}

export function overloadTable(overloads: Overload[]): string {
  const rows = overloads.flatMap(({ name, peak, loads }) =>
    loads.map((l) => {
      const goodput = l.good / l.seconds;
      return [
        name,
        `${l.times}x`,
        figure(peak),
        figure(l.sent / l.seconds),
        figure(goodput),
        figure(goodput / peak),
        figure(l.p50),
        figure(l.p99),
        String(l.rejected),
        String(l.failed),
        figure(l.ownCpu / 1e6 / l.seconds),
      ];
    }),
  );
  return table(
    [
      'overload',
      'peak',
      'peak/s',
      'sent/s',
      'good/s',
      'good ÷ peak',
      'p50 ms',
      'p99 ms',
      'rejected',
      'failed',
      'generator cores',
    ],
    rows,
  );
}
