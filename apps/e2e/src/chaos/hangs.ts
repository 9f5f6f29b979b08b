import { sleep } from '../parallel.ts';
import { randomSequence } from '../random.ts';
import type { Stack } from '../stack.ts';
import type { Load } from './chaos.ts';

/** As a machine that stands still, and as a network that drops each packet. */
const ways = { paused: ['pause', 'resume'], 'cut off': ['cut', 'mend'] } as const;
export type Way = keyof typeof ways;

/** What callers met while one replica hung. */
export interface Hang {
  target: string;
  way: Way;
  seconds: number;
  acknowledged: number;
  requests: number;
  /** 503 or no answer; each was repeated. */
  failed: number;
}

export interface HangOptions {
  hangs: number;
  /** Repeats who hangs, how and for how long. */
  seed: number;
  print: (line: string) => void;
}

/** Replicas of services that have several, so that another can answer. Clients choose among gateways themselves. */
function replicasOf(stack: Stack): string[] {
  const services = Map.groupBy(
    stack.demo.services.filter(({ name }) => name !== 'gateway'),
    ({ name }) => name,
  );
  return [...services.values()]
    .filter((replicas) => replicas.length > 1)
    .flatMap((replicas) => replicas.map(({ name, replica }) => `${name}-${replica}`))
    .sort();
}

/** One replica hangs for seconds, then goes on with all that it had; another one follows. */
export async function hangAtRandom(stack: Stack, { hangs, seed, print }: HangOptions, load: Load): Promise<Hang[]> {
  const random = randomSequence(seed);
  const targets = replicasOf(stack);
  const seen: Hang[] = [];
  while (seen.length < hangs) {
    const target = targets[random(targets.length)]!;
    const way: Way = random(2) === 0 ? 'paused' : 'cut off';
    const seconds = 3 + random(6);
    await sleep(1000 + random(2000));
    const hang = await hangOnce(stack, target, way, seconds, load);
    seen.push(hang);
    print(
      `  hang ${seen.length} of ${hangs}: ${target} ${way} for ${seconds} s; ${hang.failed} of ${hang.requests} requests answered 503 or not at all`,
    );
  }
  return seen;
}

export async function hangOnce(stack: Stack, target: string, way: Way, seconds: number, load: Load): Promise<Hang> {
  const [begin, end] = ways[way];
  await stack.control(begin, target);
  try {
    return { target, way, seconds, ...(await measured(load, seconds)) };
  } finally {
    await stack.control(end, target);
  }
}

/** What the load came to in so many seconds. */
export async function measured(
  load: Load,
  seconds: number,
): Promise<Pick<Hang, 'acknowledged' | 'requests' | 'failed'>> {
  const before = { acknowledged: load.acknowledged, requests: load.attempts.length };
  await sleep(seconds * 1000);
  const attempts = load.attempts.slice(before.requests);
  return {
    acknowledged: load.acknowledged - before.acknowledged,
    requests: attempts.length,
    failed: attempts.filter(({ status, waiting }) => !waiting && (status === undefined || status === 503)).length,
  };
}
