// A launcher that child-process-registry.int.spec.ts kills.
import { join } from 'node:path';
import { ChildProcessRegistry } from './child-process-registry.ts';
import { spawnProgram } from './program.ts';

const folder = process.argv[2] ?? '';
const children = new ChildProcessRegistry(folder);
const child = spawnProgram(
  {
    name: 'ignores-sigterm',
    command: process.execPath,
    args: ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'],
    env: {},
    cwd: folder,
    logFile: join(folder, 'ignores-sigterm.log'),
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 1000,
    ready: async () => true,
  },
  children,
);
process.stdout.write(JSON.stringify({ child: child.pid, reaper: children.reaperPid }));
setInterval(() => undefined, 1000);
