import { join } from 'node:path';
import type { Program } from '../infra/program.ts';
import type { Instance } from './instances.ts';
import { logOf } from './servers.ts';

/** `build`: the clone, or copy of one, whose build is to run. */
export function serviceProgram(instance: Instance, env: NodeJS.ProcessEnv, build: string): Program {
  return {
    name: instance.name,
    command: process.execPath,
    args: [join(build, 'apps', instance.service, 'dist', 'main.js')],
    // Our end of the service's stdin closes when we die, however we die.
    env: { ...env, HOLDFAST_EXIT_WITH_PARENT: '1' },
    cwd: build,
    logFile: logOf(instance.name),
    stopSignal: 'SIGTERM',
    stopWithin: 15_000,
    ready: () => answersOk(instance.readyUrl),
  };
}

export async function answersOk(url: string): Promise<boolean> {
  return (await readiness(url)).ready;
}

/** What `/readyz` answers: the first line says whether it is ready, the others are remarks for operators. */
export async function readiness(url: string): Promise<{ ready: boolean; remarks: string[] }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000), headers: { connection: 'close' } });
    const text = await response.text();
    return { ready: response.status === 200, remarks: text.split('\n').slice(1).filter(Boolean) };
  } catch {
    return { ready: false, remarks: [] };
  }
}
