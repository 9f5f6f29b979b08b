// A launcher for leash.int.spec.ts to kill.
import { join } from 'node:path';
import { Leash } from './child-process-registry.ts';
import { spawnProgram } from './program.ts';

const folder = process.argv[2] ?? '';
const leash = new Leash(folder);
const child = spawnProgram(
  {
    name: 'deaf',
    command: process.execPath,
    args: ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'],
    env: {},
    cwd: folder,
    logFile: join(folder, 'deaf.log'),
    stopSignal: 'SIGTERM',
    stopWithin: 1000,
    ready: async () => true,
  },
  leash,
);
process.stdout.write(JSON.stringify({ child: child.pid, guard: leash.guardPid }));
setInterval(() => undefined, 1000);
