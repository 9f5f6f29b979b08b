import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join, relative, sep } from 'node:path';
import { print, warn } from '../infra/console.ts';
import { readJson } from '../infra/files.ts';
import { root } from '../setup/paths.mjs';
import type { Lane } from './lanes.mjs';
import { serverErrors } from './server-errors.ts';
import { countsAfterRepeat, countTests, filesToRepeat, slowest, type JestReport, type Stage } from './stages.ts';

/** Time from jest's report to the end of its process. */
const exitTimeoutMs = 60_000;

const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

interface Counts {
  passed: number;
  failed: number;
}

/** One run of a stage, or of some lanes of it. */
interface JestRun {
  stage: Stage;
  /** Reports and temporary files go there. */
  folder: string;
  jestArgs: string[];
  env: NodeJS.ProcessEnv;
  /** Of the stage e2e: see lanes.mjs. */
  lanes?: Lane[];
  /** Runs with what other runs leave of the processors, and prints when it has ended. */
  beside?: boolean;
}

/**
 * @returns the counts of a run, and what runs its failed files again when all other runs have ended. A run with
 * arguments for jest is a developer's own, and repeats nothing.
 */
export async function runJest(run: JestRun): Promise<Counts & { repeat?: () => Promise<Counts> }> {
  const { report, status } = await jestReport(run, nameOf(run));
  const counts = countTests(report, status);
  const files = run.jestArgs.length === 0 ? filesToRepeat(run.stage, report) : [];
  if (files.length === 0 || counts.failed === 0) return counts;
  return {
    ...counts,
    repeat: async () => {
      const names = files.map((file) => relative(root, file)).join(', ');
      print(`\nRunning again what failed beside other tests: ${names}`);
      const jestArgs = ['--runInBand', '--runTestsByPath', ...files];
      const second = await jestReport({ ...run, jestArgs }, `${nameOf(run)}-repeated`);
      const again = countTests(second.report, second.status);
      if (again.failed === 0) warn(`FLAKY: ${names} failed at first and passed alone. Find out why and repair it.`);
      return countsAfterRepeat(counts, report, again);
    },
  };
}

const nameOf = ({ stage, lanes }: JestRun): string => lanes?.join('-') ?? stage;

async function jestReport(
  { stage, folder, jestArgs, env, lanes, beside = false }: JestRun,
  name: string,
): Promise<{ report: JestReport | undefined; status: number }> {
  const outputFile = join(folder, `${name}.json`);
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const args = [
    ...flags,
    jest,
    '-c',
    'jest.config.mjs',
    '--passWithNoTests',
    '--json',
    `--outputFile=${outputFile}`,
    ...jestArgs,
  ];
  const printed = join(folder, `${name}.log`);
  const output = beside ? openSync(printed, 'w') : 'inherit';
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: {
      ...process.env,
      ...env,
      HOLDFAST_TEST_STAGE: stage,
      HOLDFAST_TEST_LANES: lanes?.join(),
      TEST_TMP: temporary,
      NODE_ENV: 'test',
    },
    stdio: ['ignore', output, output],
  });
  // Its workers inherit it.
  if (beside && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const watch = killAfterReport(outputFile, kill);
  const status = await new Promise<number>((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', (code) => resolve(code ?? 1));
  });
  clearInterval(watch);
  process.off('exit', kill);
  if (typeof output === 'number') {
    closeSync(output);
    print(`\n== ${name} ==\n${readFileSync(printed, 'utf8')}`);
  }
  const report = readJson<JestReport>(outputFile);
  const longest = slowest(report);
  if (longest.includes('\n')) print(`\nThe slowest files:\n${longest.replaceAll(`${root}${sep}`, '')}`);
  const errors = env.HOLDFAST_HOME ? serverErrors(report, join(env.HOLDFAST_HOME, 'logs')) : '';
  if (errors) print(`\n${errors.replaceAll(`${root}${sep}`, '')}`);
  return { report, status };
}

/** jest never exits while a test has left something open, so that a run without a terminal would not end. */
function killAfterReport(report: string, kill: () => void): NodeJS.Timeout {
  let reportedAt: number | undefined;
  return setInterval(() => {
    if (!existsSync(report)) return;
    reportedAt ??= performance.now();
    if (performance.now() - reportedAt < exitTimeoutMs) return;
    warn(
      `jest did not exit within ${exitTimeoutMs / 1000} s after its last test: a test left a connection, a timer or ` +
        'a server open. Find it with: -- --detectOpenHandles FILE',
    );
    kill();
  }, 1000);
}
