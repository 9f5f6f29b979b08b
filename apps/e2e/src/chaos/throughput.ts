import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from '../stack/stack.ts';
import type { Load } from './chaos.ts';
import { hangOnce, measureLoad, type Hang, type HangKind } from './hangs.ts';

export interface ThroughputOptions {
  services: string[];
  seconds: number;
  print: (line: string) => void;
}

/** By then connections are open and V8 has optimized the most frequent functions. */
const warmUpMs = 5000;

/** For each service: its throughput with all replicas and with a hanging one, and the ratio of the two. */
export async function measureThroughput(
  stack: Stack,
  { services, seconds, print }: ThroughputOptions,
  load: Load,
): Promise<Hang[]> {
  await sleep(warmUpMs);
  const results: Hang[] = [];
  for (const service of services) {
    for (const kind of ['paused', 'cut off'] as const satisfies HangKind[]) {
      const before = await measureLoad(load, seconds / 2);
      const hang = await hangOnce(stack, `${service}-2`, kind, seconds, load);
      const after = await measureLoad(load, seconds / 2);
      results.push(hang);
      const usualRate = (before.acknowledged + after.acknowledged) / seconds;
      const hangRate = hang.acknowledged / seconds;
      print(
        `  ${hang.target} ${kind} for ${seconds} s: ${hangRate.toFixed(1)} changes a second, ` +
          `${usualRate.toFixed(1)} before and after, ratio ${(hangRate / usualRate).toFixed(2)}; ` +
          `${hang.failed} of ${hang.requests} requests were 503 or had no response`,
      );
    }
  }
  return results;
}
