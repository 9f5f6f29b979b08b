// Measures the stack in HOLDFAST_HOME, which tools/testing/bench.ts has started, and its baselines, and prints tables.
// It has no limits: nothing here passes or fails.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { anonymousTable, measureAnonymous } from './anonymous.ts';
import { auditLogTable, measureAuditLog } from './audit-log.ts';
import { explainPages } from './buffers.ts';
import { makeCases, type Case } from './cases.ts';
import { idleCpuOf, memoryOf, startTimes } from './footprint.ts';
import { growthTable, measureGrowth } from './growth.ts';
import { issuersTable, measureIssuers } from './issuers.ts';
import { Bench } from './measure.ts';
import { hasMoreCores, help, parseOptions, type Options } from './options.ts';
import { measureOverload, overloadCases, overloadMemoryTable, overloadTable } from './overload.ts';
import { makePeopleCases, peopleCaseNames } from './people-cases.ts';
import { seedPeople, type SeededPeople } from './people.ts';
import { summarize } from './profile-summary.ts';
import { profileWhile } from './profile.ts';
import { measureRateLimits, rateLimitsTable } from './rate-limits.ts';
import { baselineList, footprintTable, processTable, speedTable } from './report.ts';
import { runRounds } from './rounds.ts';
import { copyTables, seedSubjects } from './seed.ts';
import { Stack } from './stack.ts';
import { figure, table } from './table.ts';
import { measureVerify, verifyTable } from './verify.ts';

const options = parse();
const print = (text: string): void => void process.stdout.write(`${text}\n`);
/** Load of the machine before the first measurement. */
const [loadBefore = 0] = loadavg();
const machine = `${cpus()[0]?.model.trim()}, two cores; Node.js ${process.version}`;
const stack = new Stack(process.env.HOLDFAST_HOME ?? '.holdfast');
await stayOnTwoCores();
await sleep(3000);
print('Measuring the stack at rest ...');
const idle = { memory: await memoryOf(stack), cpu: await idleCpuOf(stack, 5) };

const pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 2 });
const bench = new Bench(stack);
await bench.ready();
print(`Seeding ${options.subjects} customers ...`);
const reader = await seedSubjects(stack, pool, options.subjects);
await copyTables(pool);
const people = needsPeople(options) ? await seededPeople() : undefined;
if (options.only.includes('overload') || options.only.includes('anonymous')) await measureAlone(options);
else if (options.profile === undefined) await measure(options);
else await profileService(options.profile, options.only);
bench.end();
await pool.end();

async function cases(): Promise<Case[]> {
  const made = await makeCases(stack, reader, pool, bench.stockUrl, options.subjects);
  return people ? [...made, ...(await makePeopleCases(stack, people))] : made;
}

function needsPeople({ only }: Options): boolean {
  return only.length === 0 || peopleCaseNames.some((name) => only.includes(name));
}

function seededPeople(): Promise<SeededPeople> {
  print(`Seeding an organization of ${options.people} people ...`);
  return seedPeople(stack, pool, options.people);
}

/** Measurements that overload the stack, without any other one. */
async function measureAlone({ only, seconds, connections, calls, json }: Options): Promise<void> {
  const overload = only.includes('overload')
    ? await measureOverload(overloadCases(await cases(), only), stack, { seconds, connections }, print)
    : undefined;
  const anonymous = only.includes('anonymous')
    ? await measureAnonymous(stack, pool, process.env.HOLDFAST_HOME ?? '.holdfast', calls, print)
    : undefined;
  print(`\n${machine}; commit ${commit()}, load average ${figure(loadBefore)} before\n`);
  if (overload) print(`${overloadTable(overload)}\n\n${overloadMemoryTable(overload)}\n`);
  if (anonymous) print(`${anonymousTable(anonymous)}\n`);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ overload, anonymous }, mapsAsObjects, 2)}\n`);
}

function mapsAsObjects(_key: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value as Map<string, unknown>) : value;
}

async function measure({ rounds, seconds, only, organizations, json }: Options): Promise<void> {
  const pairs = await runRounds(bench, cases, options, print);
  const loaded = await memoryOf(stack);
  const plans = await explainPages(pool, await cases());
  const issuers =
    only.length === 0 || only.includes('issuers') ? await measureIssuers(stack, pool, organizations, print) : undefined;
  const includesAudit = only.length === 0 || only.includes('audit');
  const log = includesAudit
    ? await measureAuditLog(
        stack,
        pool,
        bench,
        async () => (await cases()).find((c) => c.name === 'get')!,
        rounds,
        seconds,
        print,
      )
    : undefined;
  const includesGrowth = only.length === 0 || only.includes('growth');
  const growth = includesGrowth ? await measureGrowth(stack, pool, rounds, print) : undefined;
  const verified = only.length === 0 || only.includes('verify') ? await measureVerify(rounds, print) : undefined;
  const limits = only.length === 0 || only.includes('limits') ? measureRateLimits(rounds) : undefined;
  print('Restarting each service, one at a time ...');
  const starts = await startTimes(stack);
  const ready = Number(process.env.BENCH_READY_MS);

  print(`\n${machine}; medians of ${rounds} rounds of ${seconds} s`);
  const [loadAfter = 0] = loadavg();
  print(`commit ${commit()}, load average ${figure(loadBefore)} before, ${figure(loadAfter)} after\n`);
  print(`${speedTable(pairs)}\n\nBaselines:\n${baselineList(pairs)}\n\n${processTable(pairs)}\n`);
  print(
    `${table(
      ['list page of 50', 'buffers', 'ms', 'plan'],
      plans.map((p) => [p.name, String(p.buffers), figure(p.milliseconds), p.nodes]),
    )}\n`,
  );
  if (issuers) print(`${issuersTable(issuers)}\n`);
  if (log) print(`${auditLogTable(log)}\n`);
  if (growth) print(`${growthTable(growth)}\n`);
  if (verified) print(`${verifyTable(verified)}\n`);
  if (limits) print(`${rateLimitsTable(limits)}\n`);
  print(`${footprintTable(idle, loaded, starts)}\n`);
  print(
    `The launcher started the full stack in an empty folder in ${figure(ready / 1000)} s: ` +
      'servers, tables, streams, services and demo.',
  );
  if (json === undefined) return;
  const everything = {
    options,
    pairs,
    plans,
    issuers,
    log,
    growth,
    verified,
    idle: { memory: Object.fromEntries(idle.memory), cpu: Object.fromEntries(idle.cpu) },
    loaded: Object.fromEntries(loaded),
    starts: Object.fromEntries(starts),
    ready,
  };
  writeFileSync(json, `${JSON.stringify(everything, null, 2)}\n`);
}

async function profileService(service: string, only: string[]): Promise<void> {
  const { pid } = (await stack.members()).find((m) => m.name === service)!;
  for (const { name, stack: job } of await cases()) {
    if (only.length > 0 && !only.includes(name)) continue;
    const load = { concurrency: 16, seconds: 5 };
    await bench.measure(job, load);
    const { packages, functions, busy } = summarize(await profileWhile(pid, () => bench.measure(job, load)));
    const rows = (times: typeof packages, maxRows: number): string[][] =>
      times.slice(0, maxRows).map((t) => [t.name, `${figure(t.share * 100)} %`]);
    print(`\n${service} under ${name}: busy ${figure(busy * 100)} % of the time\n`);
    print(`${table(['package', 'self time'], rows(packages, 25))}\n`);
    print(table(['function', 'self time'], rows(functions, 40)));
  }
}

/** Binds the stack and this process to two cores. The processes that they start inherit it. */
async function stayOnTwoCores(): Promise<void> {
  if (!hasMoreCores()) return;
  const pids = [process.pid, ...(await stack.members()).map((m) => m.pid)];
  const statuses = pids.map((pid) => spawnSync('taskset', ['-a', '-p', '-c', '0,1', String(pid)]).status);
  if (!statuses.every((status) => status === 0)) print('taskset failed, so the figures are for more than two cores.');
}

function parse(): Options {
  try {
    const parsed = parseOptions(process.argv.slice(2));
    if (!parsed.help) return parsed;
    process.stdout.write(help);
    return process.exit(0);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}`);
    return process.exit(2);
  }
}

/** The commit that is measured, and whether the work tree has changes. */
function commit(): string {
  const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8' }).stdout?.trim() ?? '';
  return `${git('rev-parse', '--short', 'HEAD') || 'unknown'}${git('status', '--porcelain') ? ' with changes' : ''}`;
}
