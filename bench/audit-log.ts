import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Case } from './cases.ts';
import { answerForNothing, append, onBus, publish } from './log-load.ts';
import type { Bench } from './measure.ts';
import type { Stack } from './stack.ts';
import { median } from './statistics.ts';
import { figure, table } from './table.ts';

interface Path {
  name: string;
  records: number;
  seconds: number;
  /** CPU time per record, in µs, of each process. */
  cpu: Record<string, number>;
}

interface Read {
  concurrency: number;
  /** Medians, in ms: with the log, and with somebody in its place who answers at once. */
  recorded: { p50: number; p99: number; rate: number };
  unrecorded: { p50: number; p99: number; rate: number };
}

export interface AuditLog {
  paths: Path[];
  reads: Read[];
}

const org = 'acme';
/** Seconds. */
const warmUp = 3;

/** How fast records get their places, by both ways that lead to the log, and what that adds to a read. */
export async function measureAuditLog(
  stack: Stack,
  pool: Pool,
  bench: Bench,
  read: () => Promise<Case>,
  rounds: number,
  seconds: number,
  print: (text: string) => void,
): Promise<AuditLog> {
  const entries = async (): Promise<number> =>
    Number((await pool.query<{ n: string }>('SELECT count(*) AS n FROM audit.entry WHERE org = $1', [org])).rows[0]!.n);
  const timed = async (name: string, records: number, work: () => Promise<void>): Promise<Path> => {
    print(`Filling the log: ${name} ...`);
    const before = await stack.cpu();
    const began = performance.now();
    await work();
    const took = (performance.now() - began) / 1000;
    const after = await stack.cpu();
    return {
      name,
      records,
      seconds: took,
      cpu: Object.fromEntries(
        [...after].map(([process, micros]) => [process, (micros - (before.get(process) ?? 0)) / records]),
      ),
    };
  };

  const gateway = await onBus(stack, 'gateway');
  const directory = await onBus(stack, 'directory');
  await append(gateway, org, 20_000, 8);
  const paths: Path[] = [];
  for (const inFlight of [2, 8])
    paths.push(
      await timed(`append, ${inFlight} messages under way`, 40_000, () => append(gateway, org, 40_000, inFlight)),
    );
  const events = 10_000;
  const there = await entries();
  paths.push(
    await timed('events of changes', events, async () => {
      await publish(directory, org, events);
      while ((await entries()) < there + events) await sleep(20);
    }),
  );
  await Promise.all([gateway.close(), directory.close()]);

  const reads: Read[] = [];
  for (const concurrency of [1, 8])
    reads.push(await compare(stack, bench, read, { concurrency, rounds, seconds }, print));
  return { paths, reads };
}

/** The same read in turn with and without the log, so that what else the machine does hits both. */
async function compare(
  stack: Stack,
  bench: Bench,
  read: () => Promise<Case>,
  { concurrency, rounds, seconds }: { concurrency: number; rounds: number; seconds: number },
  print: (text: string) => void,
): Promise<Read> {
  const job = (await read()).stack;
  const measured = { recorded: [] as Read['recorded'][], unrecorded: [] as Read['recorded'][] };
  for (let round = 1; round <= rounds; round += 1) {
    print(`Reading with and without the log, ${concurrency} at once, round ${round} of ${rounds} ...`);
    // Long enough for V8 to have optimized an audit that has just been started.
    await bench.measure(job, { concurrency, seconds: warmUp });
    measured.recorded.push(await bench.measure(job, { concurrency, seconds }));
    await stack.stopMember('audit');
    const stand = await onBus(stack, 'audit');
    answerForNothing(stand);
    await stand.flush();
    await bench.measure(job, { concurrency, seconds: warmUp });
    measured.unrecorded.push(await bench.measure(job, { concurrency, seconds }));
    await stand.close();
    await stack.startMember('audit');
  }
  const middle = (of: Read['recorded'][]) => ({
    p50: median(of.map((m) => m.p50)),
    p99: median(of.map((m) => m.p99)),
    rate: median(of.map((m) => m.rate)),
  });
  return { concurrency, recorded: middle(measured.recorded), unrecorded: middle(measured.unrecorded) };
}

export function auditLogTable({ paths, reads }: AuditLog): string {
  const shown = ['postgres', 'nats', 'audit', 'directory', 'gateway'];
  const ways = paths.map((p) => {
    const total = Object.values(p.cpu).reduce((sum, micros) => sum + micros, 0);
    return [
      p.name,
      String(p.records),
      figure(p.records / p.seconds),
      figure(total),
      ...shown.map((process) => figure(p.cpu[process] ?? 0)),
    ];
  });
  const compared = reads.map(({ concurrency, recorded, unrecorded }) => [
    String(concurrency),
    figure(recorded.p50),
    figure(unrecorded.p50),
    figure(recorded.p99),
    figure(unrecorded.p99),
    figure(recorded.p99 - unrecorded.p99),
    figure(recorded.rate / unrecorded.rate),
  ]);
  return [
    table(['to the log by', 'records', 'records/s', 'CPU µs each', ...shown], ways),
    table(
      ['a get at', 'p50 ms', 'without the log', 'p99 ms', 'without the log', 'added p99 ms', 'req/s ÷ without'],
      compared,
    ),
  ].join('\n\n');
}
