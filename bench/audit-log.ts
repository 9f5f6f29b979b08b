import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Case } from './cases.ts';
import { acknowledgeWithoutLog, append, connectAs, publish } from './log-load.ts';
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
  /** Medians, in ms: with the log, and with a stub that acknowledges every append at once. */
  recorded: { p50: number; p99: number; rate: number };
  unrecorded: { p50: number; p99: number; rate: number };
}

export interface AuditLog {
  paths: Path[];
  reads: Read[];
}

const org = 'acme';
const warmUpSeconds = 3;

/** The rate at which records are appended, over requests and over events, and the time that the log adds to a read. */
export async function measureAuditLog(
  stack: Stack,
  pool: Pool,
  bench: Bench,
  read: () => Promise<Case>,
  rounds: number,
  seconds: number,
  print: (text: string) => void,
): Promise<AuditLog> {
  const countEntries = async (): Promise<number> =>
    Number((await pool.query<{ n: string }>('SELECT count(*) AS n FROM audit.entry WHERE org = $1', [org])).rows[0]!.n);
  const timed = async (name: string, records: number, work: () => Promise<void>): Promise<Path> => {
    print(`Appending records: ${name} ...`);
    const before = await stack.cpu();
    const began = performance.now();
    await work();
    const elapsedSeconds = (performance.now() - began) / 1000;
    const after = await stack.cpu();
    return {
      name,
      records,
      seconds: elapsedSeconds,
      cpu: Object.fromEntries(
        [...after].map(([process, micros]) => [process, (micros - (before.get(process) ?? 0)) / records]),
      ),
    };
  };

  const gateway = await connectAs(stack, 'gateway');
  const directory = await connectAs(stack, 'directory');
  await append(gateway, org, 20_000, 8);
  const paths: Path[] = [];
  for (const inFlight of [2, 8])
    paths.push(
      await timed(`append, ${inFlight} messages in flight`, 40_000, () => append(gateway, org, 40_000, inFlight)),
    );
  const events = 10_000;
  const entriesBefore = await countEntries();
  paths.push(
    await timed('events of changes', events, async () => {
      await publish(directory, org, events);
      while ((await countEntries()) < entriesBefore + events) await sleep(20);
    }),
  );
  await Promise.all([gateway.close(), directory.close()]);

  const reads: Read[] = [];
  for (const concurrency of [1, 8])
    reads.push(await compare(stack, bench, read, { concurrency, rounds, seconds }, print));
  return { paths, reads };
}

/** Measures the same read alternately with and without the log, so that other load on the machine affects both. */
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
    print(`Reading with and without the log, ${concurrency} concurrently, round ${round} of ${rounds} ...`);
    // V8 needs this long to optimize an audit service that has just been started.
    await bench.measure(job, { concurrency, seconds: warmUpSeconds });
    measured.recorded.push(await bench.measure(job, { concurrency, seconds }));
    await stack.stopMember('audit');
    const stub = await connectAs(stack, 'audit');
    acknowledgeWithoutLog(stub);
    await stub.flush();
    await bench.measure(job, { concurrency, seconds: warmUpSeconds });
    measured.unrecorded.push(await bench.measure(job, { concurrency, seconds }));
    await stub.close();
    await stack.startMember('audit');
  }
  const medians = (results: Read['recorded'][]) => ({
    p50: median(results.map((m) => m.p50)),
    p99: median(results.map((m) => m.p99)),
    rate: median(results.map((m) => m.rate)),
  });
  return { concurrency, recorded: medians(measured.recorded), unrecorded: medians(measured.unrecorded) };
}

export function auditLogTable({ paths, reads }: AuditLog): string {
  const processes = ['postgres', 'nats', 'audit', 'directory', 'gateway'];
  const rows = paths.map((p) => {
    const total = Object.values(p.cpu).reduce((sum, micros) => sum + micros, 0);
    return [
      p.name,
      String(p.records),
      figure(p.records / p.seconds),
      figure(total),
      ...processes.map((process) => figure(p.cpu[process] ?? 0)),
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
    table(['to the log by', 'records', 'records/s', 'CPU µs each', ...processes], rows),
    table(
      ['a get at', 'p50 ms', 'without the log', 'p99 ms', 'without the log', 'added p99 ms', 'req/s ÷ without'],
      compared,
    ),
  ].join('\n\n');
}
