import { setTimeout as sleep } from 'node:timers/promises';
import { allStats, cpuOfTree, pssOf } from './processes.ts';
import type { Stack } from './stack.ts';

/** PSS of each process of the stack, in bytes. */
export async function memoryOf(stack: Stack): Promise<Map<string, number>> {
  return new Map((await stack.members()).map(({ name, pid }) => [name, pssOf(pid)]));
}

/** CPU time of each process without requests, in ms per second. */
export async function idleCpuOf(stack: Stack, seconds: number): Promise<Map<string, number>> {
  const before = await stack.cpu();
  await sleep(seconds * 1000);
  return new Map(
    [...(await stack.cpu())].map(([name, micros]) => [name, (micros - (before.get(name) ?? 0)) / 1000 / seconds]),
  );
}

export interface Start {
  /** Until ready, alone on the machine, in ms. */
  milliseconds: number;
  /** CPU time until ready, in ms, which other load on the machine hardly affects. */
  cpu: number;
}

/** Restarts each service, one at a time. */
export async function startTimes(stack: Stack): Promise<Map<string, Start>> {
  const times = new Map<string, Start>();
  for (const { name } of await stack.members()) {
    if (name === 'postgres' || name === 'nats') continue;
    await stack.stopMember(name);
    const began = performance.now();
    await stack.startMember(name);
    const milliseconds = performance.now() - began;
    const pid = (await stack.members()).find((m) => m.name === name)?.pid ?? 0;
    times.set(name, { milliseconds, cpu: cpuOfTree(pid, allStats()) / 1000 });
  }
  return times;
}
