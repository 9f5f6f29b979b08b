import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, randomSequence } from '@holdfast/testing';
import type { Stack } from '../stack/stack.ts';
import type { Load } from './chaos.ts';
import type { Attempt } from './retrying-client.ts';

/** Like a machine that stands still, and like a network that drops every packet. */
const controls = { paused: ['pause', 'resume'], 'cut off': ['cut', 'mend'] } as const;
export type HangKind = keyof typeof controls;

/** The requests of the load while one replica hung. */
export interface Hang {
  target: string;
  kind: HangKind;
  seconds: number;
  acknowledged: number;
  requests: number;
  /** 503 or no response. Each of these requests was repeated. */
  failed: number;
}

export interface HangOptions {
  hangs: number;
  /** Repeats which replicas hang, how and for how long. */
  seed: number;
  print: (line: string) => void;
}

/**
 * Replicas of services that have several, so that another one can respond. Gateways are left out: their clients choose
 * among them by themselves.
 */
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

/** Makes one replica after the other hang for some seconds, then lets it continue with everything that it held. */
export async function hangAtRandom(stack: Stack, { hangs, seed, print }: HangOptions, load: Load): Promise<Hang[]> {
  const random = randomSequence(seed);
  const targets = replicasOf(stack);
  const results: Hang[] = [];
  while (results.length < hangs) {
    const target = targets[random(targets.length)]!;
    const kind: HangKind = random(2) === 0 ? 'paused' : 'cut off';
    const seconds = 3 + random(6);
    await sleep(1000 + random(2000));
    await recovered(load);
    const hang = await hangOnce(stack, target, kind, seconds, load);
    results.push(hang);
    print(
      `  hang ${results.length} of ${hangs}: ${target} ${kind} for ${seconds} s; ` +
        `${hang.failed} of ${hang.requests} requests were 503 or had no response`,
    );
  }
  return results;
}

/** Resolves when no request fails any more because of an earlier kill or hang, whose failures are not of this one. */
async function recovered(load: Load): Promise<void> {
  const latest = 20;
  const before = load.attempts.length;
  await eventually(
    () => {
      const ended = load.attempts.slice(before).filter(({ pending }) => !pending);
      return ended.length >= latest && !ended.slice(-latest).some(hasFailed);
    },
    `${latest} requests without a failure`,
    120_000,
  );
}

function hasFailed({ status, pending }: Attempt): boolean {
  return !pending && (status === undefined || status === 503);
}

export async function hangOnce(
  stack: Stack,
  target: string,
  kind: HangKind,
  seconds: number,
  load: Load,
): Promise<Hang> {
  const [begin, end] = controls[kind];
  await stack.control(begin, target);
  try {
    return { target, kind, seconds, ...(await measureLoad(load, seconds)) };
  } finally {
    await stack.control(end, target);
  }
}

/** Counts the requests of the load for a number of seconds. */
export async function measureLoad(
  load: Load,
  seconds: number,
): Promise<Pick<Hang, 'acknowledged' | 'requests' | 'failed'>> {
  const before = { acknowledged: load.acknowledged, requests: load.attempts.length };
  await sleep(seconds * 1000);
  const attempts = load.attempts.slice(before.requests);
  return {
    acknowledged: load.acknowledged - before.acknowledged,
    requests: attempts.length,
    failed: attempts.filter(hasFailed).length,
  };
}
