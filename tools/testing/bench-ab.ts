// `npm run bench -- ab COMMIT [options]`: starts a stack of COMMIT and one of this tree, and runs bench/ab/main.ts,
// which measures them alternately.
import { join } from 'node:path';
import { print, warn } from '../infra/console.ts';
import { EphemeralServers } from '../infra/ephemeral.ts';
import { makeBaseClone } from './base-clone.ts';
import { startStack } from './e2e-stack.ts';
import { runBench } from './run-bench.ts';

const [reference, ...args] = process.argv.slice(2);
if (reference === undefined || reference.startsWith('-')) process.exit(await runBench('main.ts', ['--help'], {}));

const servers = new EphemeralServers();
servers.stopOnSignals();
let status = 1;
try {
  print(`Building ${reference} in a folder of its own ...`);
  const clone = await makeBaseClone(servers, reference);
  const options = ['--no-examples'];
  const base = await startStack(servers, 'gateway=1', options, { clone, home: join(clone, '.holdfast') });
  const stack = await startStack(servers, 'gateway=1', options);
  const env = { BENCH_BASE_HOME: base.HOLDFAST_HOME, BENCH_BASE_CLONE: clone, BENCH_BASE: reference };
  status = await runBench('ab/main.ts', args, { ...stack, ...env });
} catch (error) {
  warn((error as Error).message);
}
await servers.stop();
process.exit(status);
