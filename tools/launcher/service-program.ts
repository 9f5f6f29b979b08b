import { join } from 'node:path';
import { root } from '../setup/paths.mjs';
import type { Program } from '../infra/program.ts';
import type { Instance } from './instances.ts';
import { logOf } from './servers.ts';

export function serviceProgram(instance: Instance, env: NodeJS.ProcessEnv): Program {
  return {
    name: instance.name,
    command: process.execPath,
    args: [join(root, 'apps', instance.service, 'dist', 'main.js')],
    // Our end of the service's stdin closes when we die, however we die.
    env: { ...env, HOLDFAST_EXIT_WITH_PARENT: '1' },
    cwd: root,
    logFile: logOf(instance.name),
    stopSignal: 'SIGTERM',
    stopWithin: 15_000,
    ready: () => answersOk(instance.readyUrl),
  };
}

export async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000), headers: { connection: 'close' } });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
