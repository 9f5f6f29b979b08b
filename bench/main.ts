// Measures the stack in HOLDFAST_HOME, which tools/testing/bench.ts has started, and its baselines, and prints tables.
// It has no limits: nothing here passes or fails.
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { anonymousTable, measureAnonymous } from './anonymous.ts';
import { auditLogTable, measureAuditLog } from './audit-log.ts';
import { auditLots, measureAuditLots } from './audit/audit.ts';
import { explainPages } from './buffers.ts';
import { makeCases, type Case } from './cases.ts';
import { idleCpuOf, memoryOf, startTimes } from './footprint.ts';
import { growthLots, isGrowth, measureGrowth } from './growth/growth.ts';
import { lotTable, type Lot } from './growth/lot.ts';
import { commitOfClone } from './history/commit.ts';
import { thisMachine, versionsOf } from './history/machine.ts';
import { savedCases, savedFootprint } from './history/saved-requests.ts';
import { saveResult } from './history/saved-results.ts';
import type { SavedResult } from './history/schema.ts';
import { issuersTable, measureIssuers } from './issuers.ts';
import { Bench } from './measure.ts';
import { help, parseOptions, type Options } from './options.ts';
import { measureOverload, overloadCases, overloadMemoryTable, overloadTable } from './overload.ts';
import { measurePeers, peersTable } from './peers/side-by-side.ts';
import { makePeopleCases, peopleCaseNames } from './people-cases.ts';
import { seedPeople, type SeededPeople } from './people.ts';
import { profileService } from './profile-service.ts';
import { measureRateLimits, rateLimitsTable } from './rate-limits.ts';
import { baselineList, footprintTable, processTable, speedTable } from './report.ts';
import { runRounds } from './rounds.ts';
import { copyTables, seedSubjects } from './seed.ts';
import { Stack } from './stack.ts';
import { figure, table } from './table.ts';
import { stayOnTwoCores } from './two-cores.ts';
import { measureVerify, verifyTable } from './verify.ts';

const options = parse();
const print = (text: string): void => void process.stdout.write(`${text}\n`);
/** Load of the machine before the first measurement. */
const [loadBefore = 0] = loadavg();
const machine = `${cpus()[0]?.model.trim()}, two cores; Node.js ${process.version}`;
const commit = commitOfClone();
if (options.save) requireCleanTree();
const home = process.env.HOLDFAST_HOME ?? '.holdfast';
const stack = new Stack(home);
await stayOnTwoCores(stack, print);
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

const lots = growthLots(options.only);
if (['overload', 'anonymous', 'peers', ...auditLots].some((name) => options.only.includes(name)))
  await measureAlone(options);
else if (options.profile !== undefined)
  await profileService(options.profile, { stack, bench, cases: await chosenCases() }, print);
else {
  if (options.only.length === 0 || !options.only.every(isGrowth)) await measure(options);
  if (lots.length > 0) await grow();
}
bench.end();
await pool.end();

async function cases(): Promise<Case[]> {
  const made = await makeCases(stack, reader, pool, bench.stockUrl, options.subjects);
  return people ? [...made, ...(await makePeopleCases(stack, people))] : made;
}

async function chosenCases(): Promise<Case[]> {
  return (await cases()).filter(({ name }) => options.only.length === 0 || options.only.includes(name));
}

function needsPeople({ only }: Options): boolean {
  return only.length === 0 || peopleCaseNames.some((name) => only.includes(name));
}

function seededPeople(): Promise<SeededPeople> {
  print(`Seeding an organization of ${options.people} people ...`);
  return seedPeople(stack, pool, options.people);
}

/** Measurements that overload the stack, start other servers or fill the log, without any other one. */
async function measureAlone(chosen: Options): Promise<void> {
  const { only, seconds, connections, calls, json } = chosen;
  const overload = only.includes('overload')
    ? await measureOverload(overloadCases(await cases(), only), stack, { seconds, connections }, print)
    : undefined;
  const anonymous = only.includes('anonymous') ? await measureAnonymous(stack, pool, home, calls, print) : undefined;
  const peers = only.includes('peers')
    ? await measurePeers({ stack, bench, pool, home }, cases, options, print)
    : undefined;
  const log = await measureAuditLots(only, { stack, pool }, chosen, print);
  print(`\n${machine}; commit ${describe(commit)}, load average ${figure(loadBefore)} before\n`);
  for (const { table: text } of Object.values(log)) print(`${text}\n`);
  if (overload) print(`${overloadTable(overload)}\n\n${overloadMemoryTable(overload)}\n`);
  if (anonymous) print(`${anonymousTable(anonymous)}\n`);
  if (peers) print(`${peersTable(peers)}\n`);
  if (json !== undefined)
    writeFileSync(json, `${JSON.stringify({ overload, anonymous, peers, log }, mapsAsObjects, 2)}\n`);
}

function mapsAsObjects(_key: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value as Map<string, unknown>) : value;
}

async function measure({ rounds, seconds, subjects, only, organizations, json }: Options): Promise<void> {
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
  const verified = only.length === 0 || only.includes('verify') ? await measureVerify(rounds, print) : undefined;
  const limits = only.length === 0 || only.includes('limits') ? measureRateLimits(rounds) : undefined;
  print('Restarting each service, one at a time ...');
  const starts = await startTimes(stack);
  const ready = Number(process.env.BENCH_READY_MS);

  print(`\n${machine}; medians of ${rounds} rounds of ${seconds} s`);
  const [loadAfter = 0] = loadavg();
  print(`commit ${describe(commit)}, load average ${figure(loadBefore)} before, ${figure(loadAfter)} after\n`);
  print(`${speedTable(pairs)}\n\nBaselines:\n${baselineList(pairs)}\n\n${processTable(pairs)}\n`);
  print(
    `${table(
      ['list page of 50', 'buffers', 'ms', 'plan'],
      plans.map((p) => [p.name, String(p.buffers), figure(p.milliseconds), p.nodes]),
    )}\n`,
  );
  if (issuers) print(`${issuersTable(issuers)}\n`);
  if (log) print(`${auditLogTable(log)}\n`);
  if (verified) print(`${verifyTable(verified)}\n`);
  if (limits) print(`${rateLimitsTable(limits)}\n`);
  print(`${footprintTable(idle, loaded, starts)}\n`);
  print(
    `The launcher started the full stack in an empty folder in ${figure(ready / 1000)} s: ` +
      'servers, tables, streams, services and demo.',
  );
  if (options.save)
    await save({
      requests: {
        ...conditions(),
        rounds,
        seconds,
        subjects,
        cases: savedCases(pairs),
        footprint: savedFootprint(idle, loaded, starts),
      },
    });
  if (json === undefined) return;
  const everything = {
    options,
    pairs,
    plans,
    issuers,
    log,
    verified,
    idle: { memory: Object.fromEntries(idle.memory), cpu: Object.fromEntries(idle.cpu) },
    loaded: Object.fromEntries(loaded),
    starts: Object.fromEntries(starts),
    ready,
  };
  writeFileSync(json, `${JSON.stringify(everything, null, 2)}\n`);
}

async function grow(): Promise<void> {
  const grown = await measureGrowth(lots, { stack, pool, bench }, options, print);
  print(`\n${machine}; commit ${describe(commit)}, load average ${figure(loadBefore)} before\n`);
  for (const lot of grown) print(`${lotTable(lot)}\n`);
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ growth: grown }, null, 2)}\n`);
  if (options.save)
    await save({
      growth: Object.fromEntries(grown.map(({ name, points }: Lot) => [name, { ...conditions(), points }])),
    });
}

function conditions(): { date: string; loadBefore: number } {
  return { date: new Date().toISOString(), loadBefore };
}

async function save(parts: Pick<SavedResult, 'requests' | 'growth'>): Promise<void> {
  const versions = await versionsOf(stack, pool);
  print(`Saved: ${saveResult({ schema: 1, commit: commit.hash, machine: thisMachine(), versions, ...parts })}`);
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

function describe({ hash, isChanged }: typeof commit): string {
  return `${hash.slice(0, 12) || 'unknown'}${isChanged ? ' with changes' : ''}`;
}

/** A result that belongs to no commit could not be compared with anything. */
function requireCleanTree(): void {
  if (commit.hash && !commit.isChanged) return;
  const reason = commit.hash ? 'The work tree has changes, so' : 'This is no clone with commits, so';
  process.stderr.write(`${reason} --save would assign the result to a wrong commit. Commit, or use --json FILE.\n`);
  process.exit(2);
}
