// `npm run bench`: starts an ephemeral stack with one replica of each service, and runs bench/main.ts against it.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { warn } from '../infra/console.ts';
import { EphemeralServers } from '../infra/ephemeral.ts';
import { root } from '../setup/paths.mjs';
import { startStack } from './e2e-stack.ts';

const script = join(root, 'bench', 'main.ts');
// --help needs no stack.
if (process.argv.some((arg) => arg === '--help' || arg === '-h')) process.exit(await runBench({}));

const servers = new EphemeralServers();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
  process.once(signal, () => void servers.stop().then(() => process.exit(1)));
}
let status = 1;
try {
  const startedAt = performance.now();
  const stack = await startStack(servers, 'gateway=1', ['--no-examples']);
  status = await runBench({ ...stack, BENCH_READY_MS: String(performance.now() - startedAt) });
} catch (error) {
  warn((error as Error).message);
}
await servers.stop();
process.exit(status);

function runBench(env: NodeJS.ProcessEnv): Promise<number> {
  const args = ['--disable-warning=ExperimentalWarning', script, ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}
