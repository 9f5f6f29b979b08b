// Runs the tests: one jest run per stage, with ephemeral servers for the integration tests and an ephemeral stack for
// the e2e tests.
import { print, warn } from '../infra/console.ts';
import { EphemeralServers } from '../infra/ephemeral.ts';
import { natsBinary } from '../infra/nats-binary.ts';
import { startStack } from './e2e-stack.ts';
import type { Lane } from './lanes.mjs';
import { runJest } from './run-jest.ts';
import { budgets, parseTestArgs, sumOf, table, type Result, type Stage } from './stages.ts';

const { selected, jestArgs } = readArguments();
const servers = new EphemeralServers();
const results = new Map<keyof typeof budgets, Result>();
const buildSeconds = Number(process.env.HOLDFAST_BUILD_SECONDS ?? 0);
if (buildSeconds) results.set('build', { passed: 0, failed: 0, durationMs: buildSeconds * 1000 });

servers.stopOnSignals();

// End-to-end tests wait a quarter of their time, which is as much as all unit tests need.
const isBeside = (stage: Stage) => stage === 'unit' && selected.includes('e2e');
const record = async (stage: Stage) => void results.set(stage, await runStage(stage));
for (const stage of selected.filter((one) => !isBeside(one) && one !== 'e2e')) await record(stage);
await Promise.all(selected.filter((one) => isBeside(one) || one === 'e2e').map(record));
await servers.stop();

const total = sumOf([...results.values()]);
print(`\n${table(results)}\n`);
print(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);

/** A wrong argument is explained in a line, without a stack trace. */
function readArguments(): ReturnType<typeof parseTestArgs> {
  try {
    return parseTestArgs(process.argv.slice(2));
  } catch (error) {
    warn((error as Error).message);
    process.exit(1);
  }
}

async function runStage(stage: Stage): Promise<Result> {
  if (!isBeside(stage)) print(`\n== ${stage} ==`);
  const startedAt = Date.now();
  try {
    const runs = stage === 'e2e' ? await runLanes() : [await run(stage, await environment(stage))];
    const counts = [];
    for (const run of runs) counts.push((await run.repeat?.()) ?? run);
    return { ...sumOf(counts), durationMs: Date.now() - startedAt };
  } catch (error) {
    warn((error as Error).message);
    return { passed: 0, failed: 1, durationMs: Date.now() - startedAt };
  }
}

function run(stage: Stage, env: NodeJS.ProcessEnv, lanes?: Lane[]): ReturnType<typeof runJest> {
  return runJest({ stage, folder: servers.folder, jestArgs, env, lanes, beside: isBeside(stage) });
}

async function environment(stage: 'unit' | 'integration'): Promise<NodeJS.ProcessEnv> {
  if (stage === 'unit') return {};
  return { TEST_DATABASE_URL: await servers.postgres(), TEST_NATS_BIN: await natsBinary() };
}

/** A developer's choice of files shares one stack. */
async function runLanes(): Promise<Awaited<ReturnType<typeof runJest>>[]> {
  const env = await startStack(servers);
  if (jestArgs.length > 0) return Promise.all([run('e2e', env, ['shared', 'hub']), run('e2e', env, ['own'])]);
  const ownThenHub = async (): ReturnType<typeof runLanes> => {
    const own = await run('e2e', env, ['own']);
    const second = await startStack(servers, 'gateway=1', undefined, { home: servers.secondStackFolder });
    return [own, await run('e2e', second, ['hub'])];
  };
  return (await Promise.all([run('e2e', env, ['shared']).then((shared) => [shared]), ownThenHub()])).flat();
}
