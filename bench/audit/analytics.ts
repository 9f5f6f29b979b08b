import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { cpuSince } from '../growth/lot.ts';
import { append, connectAs } from '../log-load.ts';
import type { Stack } from '../stack.ts';
import { median } from '../statistics.ts';
import { figure, table } from '../table.ts';
import { Auditor, org, uncounted } from './auditor.ts';

const messagesInFlight = 8;
/** Long enough to contain several runs of the job, which counts every five seconds. */
const appended = 60_000;
const sizes = [1_000_000, 10_000_000];
/** Events of a year, in four apps of two types. */
const days = 365;
const from = Date.UTC(2024, 0, 1);
const requests = 20;
/** PostgreSQL publishes the statistics of a session that has become idle after ten seconds. */
const statisticsMs = 11_000;

interface Append {
  counting: boolean;
  rate: number;
  /** µs per record. */
  cpu: Record<string, number>;
}

export interface MeasuredAnalytics {
  appends: Append[][];
  /** Entries per second when nothing else is done. */
  counted: number[];
  reads: { query: string; buffers: number[]; p50: number[] }[];
}

/** What analytics cost an append, and how much a query reads after one million and after ten million events. */
export async function measureAnalytics(
  stack: Stack,
  pool: Pool,
  rounds: number,
  print: (text: string) => void,
): Promise<MeasuredAnalytics> {
  const gateway = await connectAs(stack, 'gateway');
  await append(gateway, org, appended, messagesInFlight);
  const measured: MeasuredAnalytics = { appends: [], counted: [], reads: [] };
  for (let round = 1; round <= rounds; round += 1) {
    print(`Appending with and without analytics, round ${round} of ${rounds} ...`);
    await counted(pool);
    const counting = await appendWhile(true, stack, () => append(gateway, org, appended, messagesInFlight));
    await counted(pool);
    const alone = await withoutCounting(pool, () =>
      appendWhile(false, stack, () => append(gateway, org, appended, messagesInFlight)),
    );
    const remaining = await uncounted(pool);
    while ((await uncounted(pool)) === remaining) await sleep(20);
    const began = performance.now();
    const left = await uncounted(pool);
    await counted(pool);
    measured.counted.push(left / ((performance.now() - began) / 1000));
    measured.appends.push([counting, alone]);
  }
  await gateway.close();
  const auditor = await Auditor.create(stack, 'analytics:read');
  for (const size of sizes) {
    print(`Reading the roll-ups of ${size} events ...`);
    await fill(pool, size);
    await withoutCounting(pool, async () => {
      let before = await touchedBuffers(pool);
      for (const [i, query] of queries.entries()) {
        const p50 = await read(auditor, query);
        const after = await touchedBuffers(pool);
        const row = (measured.reads[i] ??= { query, buffers: [], p50: [] });
        row.buffers.push((after - before) / requests);
        row.p50.push(p50);
        before = after;
      }
    });
  }
  return measured;
}

/** As beside another replica that counts the log: analytics pass it over until the row is released. */
async function withoutCounting<T>(pool: Pool, work: () => Promise<T>): Promise<T> {
  const lock = await pool.connect();
  await lock.query('BEGIN');
  await lock.query('SELECT FROM audit.analytics_cursor WHERE org = $1 FOR UPDATE', [org]);
  try {
    return await work();
  } finally {
    await lock.query('ROLLBACK');
    lock.release();
  }
}

async function counted(pool: Pool): Promise<void> {
  while ((await uncounted(pool)) > 0) await sleep(50);
}

async function appendWhile(counting: boolean, stack: Stack, work: () => Promise<void>): Promise<Append> {
  const before = await stack.cpu();
  const began = performance.now();
  await work();
  const rate = appended / ((performance.now() - began) / 1000);
  return { counting, rate, cpu: cpuSince(before, await stack.cpu(), appended) };
}

const dayMs = 86_400_000;
const [first, end] = [300, 330].map((day) => new Date(from + day * dayMs).toISOString());
const times = `from=${first}&to=${end}`;
const queries = [
  `offers?interval=day&${times}`,
  `offers?interval=hour&groupBy=app&${times}`,
  `claim-rate?interval=day&timezone=Asia/Kathmandu&${times}`,
  `active-customers?interval=week&${times}`,
  `credentials?interval=day&${times}`,
];

/**
 * Replaces the roll-ups of the log by those of `size` events: each at its own time of the year, so that every quarter
 * of an hour in which something happened has its rows.
 */
async function fill(pool: Pool, size: number): Promise<void> {
  for (const name of ['count', 'sketch']) await pool.query(`DELETE FROM audit.analytics_${name} WHERE org = $1`, [org]);
  const lengths = [15, 60, 1440];
  // Only of what is summed from the beginning of the log.
  const longLengths = [23_040, 368_640];
  for (const minutes of [...lengths, ...longLengths]) {
    // The longer ones are sums of the quarters, as analytics store them.
    const source =
      minutes === lengths[0]
        ? `SELECT to_timestamp($2::float8 / 1000 + floor(n * ${days * 86_400}::numeric / $4 / 900) * 900) AS at,
             'app-' || n % 4 AS app, 'type-' || n / 4 % 2 AS credential_type, count(*) AS count
             FROM generate_series(0, $4::int - 1) n GROUP BY 1, 2, 3`
        : `SELECT date_bin($3 * interval '1 minute', at, 'epoch') AS at, app, credential_type,
             sum(count) AS count FROM audit.analytics_count
             WHERE org = $1 AND metric = 'offers' AND minutes = ${lengths[0]} AND $2::float8 + $4 > 0 GROUP BY 1, 2, 3`;
    await pool.query(
      `INSERT INTO audit.analytics_count (org, metric, minutes, at, app, credential_type, part, count)
       SELECT $1, m.metric, $3, at, app, credential_type, m.part, count
         FROM (${source}) rolled, (VALUES ('offers', ''), ('claimed-offers', ''), ('credentials', 'offered'),
           ('credentials', 'live')) AS m(metric, part)
        WHERE $3 <= ${lengths.at(-1)} OR m.metric = 'credentials'`,
      [org, from, minutes, size],
    );
    if (longLengths.includes(minutes)) continue;
    await pool.query(
      `INSERT INTO audit.analytics_sketch (org, minutes, at, sketch)
       SELECT DISTINCT org, minutes, at, decode(repeat('00a0c7', 1300), 'hex') FROM audit.analytics_count
        WHERE org = $1 AND minutes = $2`,
      [org, minutes],
    );
  }
  await pool.query('VACUUM ANALYZE audit.analytics_count');
  await pool.query('VACUUM ANALYZE audit.analytics_sketch');
}

/** Buffers of tables and indexes of analytics that were touched so far. */
async function touchedBuffers(pool: Pool): Promise<number> {
  await sleep(statisticsMs);
  const { rows } = await pool.query<{ n: string }>(
    `SELECT sum(coalesce(heap_blks_hit, 0) + coalesce(heap_blks_read, 0) + coalesce(idx_blks_hit, 0)
       + coalesce(idx_blks_read, 0) + coalesce(toast_blks_hit, 0) + coalesce(toast_blks_read, 0)) AS n
       FROM pg_statio_all_tables WHERE relname IN ('analytics_count', 'analytics_sketch') AND schemaname = 'audit'`,
  );
  return Number(rows[0]!.n);
}

/** @returns the median of the times that requests took, in ms */
async function read(auditor: Auditor, query: string): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < requests; n += 1) {
    const began = performance.now();
    await (await auditor.fetch(`../analytics/${query}`)).arrayBuffer();
    took.push(performance.now() - began);
  }
  return median(took);
}

export function analyticsTable({ appends, counted: rates, reads }: MeasuredAnalytics): string {
  const processes = ['postgres', 'nats', 'audit'];
  const of = (i: number, value: (append: Append) => number): number => median(appends.map((round) => value(round[i]!)));
  const total = ({ cpu }: Append): number => Object.values(cpu).reduce((sum, micros) => sum + micros, 0);
  const appendRows = ['while analytics count', 'while they do not'].map((name, i) => [
    name,
    figure(of(i, ({ rate }) => rate)),
    figure(median(appends.map((round) => round[i]!.rate / round[1]!.rate))),
    figure(of(i, total)),
    figure(median(appends.map((round) => total(round[i]!) / total(round[1]!)))),
    ...processes.map((process) => figure(of(i, ({ cpu }) => cpu[process] ?? 0))),
  ]);
  const readRows = reads.map(({ query, buffers, p50 }) => [
    query.replace(/&?(from|to)=[^&]*/g, ''),
    ...buffers.map((n) => String(Math.round(n))),
    ...p50.map(figure),
  ]);
  const millions = sizes.map((size) => `${size / 1_000_000} million events`);
  return [
    table(['appending', 'records/s', '÷ without', 'CPU µs each', '÷ without', ...processes], appendRows),
    `Counted alone: ${figure(median(rates))} entries/s.`,
    table(
      ['30 days of', ...millions.map((each) => `buffers, ${each}`), ...millions.map((each) => `p50 ms, ${each}`)],
      readRows,
    ),
  ].join('\n\n');
}
