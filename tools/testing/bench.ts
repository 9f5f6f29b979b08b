// `npm run bench`: a throwaway house with the replicas of production's smallest, and bench/main.ts against it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/paths.mjs';
import { warn } from '../infra/say.ts';
import { Throwaway } from '../infra/throwaway.ts';
import { startHouse } from './e2e-house.ts';

const script = join(root, 'bench', 'main.ts');
if (!existsSync(script)) {
  warn('There is no benchmark yet; write it as bench/main.ts, which finds the house by the file that HOLDFAST_DEMO names.');
  process.exit(1);
}

const servers = new Throwaway();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
  process.once(signal, () => void servers.stop().then(() => process.exit(1)));
}
let status = 1;
try {
  status = await runBench(await startHouse(servers));
} catch (error) {
  warn((error as Error).message);
}
await servers.stop();
process.exit(status);

function runBench(env: NodeJS.ProcessEnv): Promise<number> {
  const args = ['--disable-warning=ExperimentalWarning', script, ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}
