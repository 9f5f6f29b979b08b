// `npm run bench`: starts an ephemeral stack with one replica of each service, and runs bench/main.ts against it.
import { warn } from '../infra/console.ts';
import { EphemeralServers } from '../infra/ephemeral.ts';
import { startStack } from './e2e-stack.ts';
import { runBench } from './run-bench.ts';

const args = process.argv.slice(2);
// --help needs no stack.
if (args.some((arg) => arg === '--help' || arg === '-h')) process.exit(await runBench('main.ts', args, {}));

const servers = new EphemeralServers();
servers.stopOnSignals();
let status = 1;
try {
  const startedAt = performance.now();
  const stack = await startStack(servers, 'gateway=1', ['--no-examples']);
  status = await runBench('main.ts', args, { ...stack, BENCH_READY_MS: String(performance.now() - startedAt) });
} catch (error) {
  warn((error as Error).message);
}
await servers.stop();
process.exit(status);
