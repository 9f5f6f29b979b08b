// The tests: ephemeral servers for the integration tests, an ephemeral stack for the e2e tests, one jest run per stage.
import { EphemeralServers } from '../infra/ephemeral.ts';
import { natsBinary } from '../infra/nats-binary.ts';
import { say, warn } from '../infra/say.ts';
import { startStack } from './e2e-stack.ts';
import { runJest } from './run-jest.ts';
import { budgets, parseTestArgs, table, type Result, type Stage } from './stages.ts';

const { chosen, jestArgs } = parseTestArgs(process.argv.slice(2));
const servers = new EphemeralServers();
const results = new Map<keyof typeof budgets, Result>();
const builtIn = Number(process.env.HOLDFAST_BUILD_SECONDS ?? 0);
if (builtIn) results.set('build and lint', { passed: 0, failed: 0, milliseconds: builtIn * 1000 });

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
  process.once(signal, () => void servers.stop().then(() => process.exit(1)));
}

for (const stage of chosen) results.set(stage, await runStage(stage));
await servers.stop();

const sum = (field: 'passed' | 'failed'): number =>
  [...results.values()].reduce((total, result) => total + result[field], 0);
say(`\n${table(results)}\n`);
say(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exit(sum('failed') > 0 || sum('passed') === 0 ? 1 : 0);

async function runStage(stage: Stage): Promise<Result> {
  say(`\n== ${stage} ==`);
  const began = Date.now();
  try {
    const counts = await runJest(stage, servers.folder, jestArgs, await environment(stage));
    return { ...counts, milliseconds: Date.now() - began };
  } catch (error) {
    warn((error as Error).message);
    return { passed: 0, failed: 1, milliseconds: Date.now() - began };
  }
}

async function environment(stage: Stage): Promise<NodeJS.ProcessEnv> {
  if (stage === 'unit') return {};
  if (stage === 'integration')
    return { TEST_DATABASE_URL: await servers.postgres(), TEST_NATS_BIN: await natsBinary() };
  return startStack(servers);
}
