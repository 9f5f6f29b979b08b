import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import type { Stack } from './stack.ts';

/** Binds the stack and this process to two cores. The processes that they start inherit it. */
export async function stayOnTwoCores(stack: Stack, print: (text: string) => void): Promise<void> {
  if (availableParallelism() <= 2) return;
  const pids = [process.pid, ...(await stack.members()).map((m) => m.pid)];
  const statuses = pids.map((pid) => spawnSync('taskset', ['-a', '-p', '-c', '0,1', String(pid)]).status);
  if (!statuses.every((status) => status === 0)) print('taskset failed, so the figures are for more than two cores.');
}
