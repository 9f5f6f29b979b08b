import type { Program } from '../infra/program.ts';
import { compileCache, programOf } from '../setup/paths.mjs';
import type { Instance } from './instances.ts';
import { isReady } from './public-address.ts';
import { logOf } from './servers.ts';

/** @param build the clone, or a copy of one, whose build is to run */
export function serviceProgram(instance: Instance, env: NodeJS.ProcessEnv, build: string): Program {
  return {
    name: instance.name,
    command: process.execPath,
    args: [programOf(build, instance.service)],
    // The service's stdin ends when the launcher ends for any reason; the service then exits.
    env: { ...env, NODE_COMPILE_CACHE: compileCache, HOLDFAST_EXIT_WITH_PARENT: '1' },
    cwd: build,
    logFile: logOf(instance.name),
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 15_000,
    ready: () => isReady(instance.readyUrl, instance.host),
  };
}
