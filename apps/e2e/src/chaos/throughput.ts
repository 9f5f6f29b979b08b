import { sleep } from '../parallel.ts';
import type { Stack } from '../stack.ts';
import type { Load } from './chaos.ts';
import { hangOnce, measured, type Hang, type Way } from './hangs.ts';

export interface ThroughputOptions {
  services: string[];
  seconds: number;
  print: (line: string) => void;
}

/** Each service in turn: its usual throughput, that with one of its replicas hanging, and how they compare. */
export async function throughput(
  stack: Stack,
  { services, seconds, print }: ThroughputOptions,
  load: Load,
): Promise<Hang[]> {
  await sleep(5000);
  const seen: Hang[] = [];
  for (const service of services) {
    for (const way of ['paused', 'cut off'] as const satisfies Way[]) {
      const usual = await measured(load, seconds / 2);
      const hang = await hangOnce(stack, `${service}-2`, way, seconds, load);
      const later = await measured(load, seconds / 2);
      seen.push(hang);
      const perSecond = {
        usual: (usual.acknowledged + later.acknowledged) / seconds,
        hung: hang.acknowledged / seconds,
      };
      print(
        `  ${hang.target} ${way} for ${seconds} s: ${perSecond.hung.toFixed(1)} changes a second against ${perSecond.usual.toFixed(1)} before and after, ratio ${(perSecond.hung / perSecond.usual).toFixed(2)}; ${hang.failed} of ${hang.requests} requests answered 503 or not at all`,
      );
    }
  }
  return seen;
}
