import type { Pool } from 'pg';
import { tokenOf } from '../cases.ts';
import { append, connectAs } from '../log-load.ts';
import type { Bench } from '../measure.ts';
import type { App, Stack } from '../stack.ts';
import { warmUp } from '../warm-up.ts';
import { cpuSince, mediansOf, type Lot, type Point } from './lot.ts';

const org = 'acme';
const sizes = [10_000, 100_000, 1_000_000, 10_000_000];
const messagesInFlight = 8;
/** Records of one measurement of appends. */
const appended = 20_000;
const load = { concurrency: 4, seconds: 2 };

/** What a record, and a page of 50 entries, cost while the log of one organization grows. */
export async function growLog(
  stack: Stack,
  pool: Pool,
  bench: Bench,
  { rounds, largest }: { rounds: number; largest: number },
  print: (text: string) => void,
): Promise<Lot> {
  const auditor = (await stack.operator(
    ...['app', 'create', org, '--name', `auditor ${Date.now()}`, '--kind', 'service', '--grant', 'audit:read'],
  )) as { app: App; clientSecret: string };
  const reader = { ...auditor.app, clientSecret: auditor.clientSecret };
  const gateway = await connectAs(stack, 'gateway');
  const points: Point[] = [];
  for (const size of sizes.filter((each) => each <= largest)) {
    const missing = size - (await sizeOfLog(pool));
    print(`Appending ${Math.max(0, missing)} records, until the log has ${size} ...`);
    if (missing > 0) await append(gateway, org, missing, messagesInFlight);
    const figures: Point['figures'][] = [];
    for (let round = 0; round < rounds; round += 1) {
      const before = await stack.cpu();
      const began = performance.now();
      await append(gateway, org, appended, messagesInFlight);
      const seconds = (performance.now() - began) / 1000;
      const cpu = Object.values(cpuSince(before, await stack.cpu(), appended));
      figures.push({
        'append CPU µs': cpu.reduce((sum, micros) => sum + micros, 0),
        'records/s': appended / seconds,
        ...(await pages(stack, bench, reader)),
      });
    }
    points.push({ size, figures: { ...mediansOf(figures), 'kB per record': await kilobytesPerRecord(pool) } });
  }
  await gateway.close();
  return { name: 'log', points };
}

/** The newest page, and that of one rare action. */
async function pages(stack: Stack, bench: Bench, reader: App): Promise<Point['figures']> {
  const headers = { authorization: `Bearer ${await tokenOf(stack, reader, 'audit:read')}` };
  const figures: Point['figures'] = {};
  for (const [name, query] of [
    ['page', 'limit=50'],
    ['page by action', 'limit=50&action=app.create'],
  ] as const) {
    const path = `/o/${org}/api/admin/audit/events?${query}`;
    const job = {
      kind: 'http' as const,
      url: stack.baseUrl,
      requests: [{ method: 'GET' as const, path, headers }],
      expect: 200,
    };
    await warmUp(async () => (await bench.measure(job, load)).total);
    const { total, p99, failures } = await bench.measure(job, load);
    if (failures > 0) throw new Error(`${failures} requests of a page of the log failed`);
    figures[`${name} CPU µs`] = total;
    figures[`${name} p99 ms`] = p99;
  }
  return figures;
}

async function sizeOfLog(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ seq: string }>('SELECT seq FROM audit.head WHERE org = $1', [org]);
  return Number(rows[0]?.seq ?? 0);
}

/** Of all tables and indexes of audit. */
async function kilobytesPerRecord(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string; records: string }>(
    `SELECT (SELECT sum(pg_total_relation_size(oid)) FROM pg_class
              WHERE relnamespace = 'audit'::regnamespace AND relkind = 'r') AS bytes,
       (SELECT sum(seq) FROM audit.head) AS records`,
  );
  return Number(rows[0]!.bytes) / 1000 / Number(rows[0]!.records);
}
