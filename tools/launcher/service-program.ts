import { join } from 'node:path';
import type { Program } from '../infra/program.ts';
import type { Instance } from './instances.ts';
import { logOf } from './servers.ts';

/** @param build the clone, or a copy of one, whose build is to run */
export function serviceProgram(instance: Instance, env: NodeJS.ProcessEnv, build: string): Program {
  return {
    name: instance.name,
    command: process.execPath,
    args: [join(build, 'apps', instance.service, 'dist', 'main.js')],
    // The service's stdin ends when the launcher ends for any reason; the service then exits.
    env: { ...env, HOLDFAST_EXIT_WITH_PARENT: '1' },
    cwd: build,
    logFile: logOf(instance.name),
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 15_000,
    ready: () => isReady(instance.readyUrl),
  };
}

export async function isReady(url: string): Promise<boolean> {
  return (await readiness(url)).ready;
}

/** The response of `/readyz`: its status tells whether the service is ready, its further lines are remarks. */
export async function readiness(url: string): Promise<{ ready: boolean; remarks: string[] }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000), headers: { connection: 'close' } });
    const text = await response.text();
    return { ready: response.status === 200, remarks: text.split('\n').slice(1).filter(Boolean) };
  } catch {
    return { ready: false, remarks: [] };
  }
}
