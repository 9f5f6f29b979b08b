import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { appendTo, connectAs } from './log-load.ts';
import type { Stack } from './stack.ts';
import { median } from './statistics.ts';
import { figure, table } from './table.ts';

interface Lot {
  organizations: number;
  /** Until every log has a further record, and until every log has a checkpoint that covers it. */
  appendedMs: number;
  signedMs: number;
  /** CPU time per organization, in µs, of each process: of one record and one checkpoint. */
  cpu: Record<string, number>;
}

const sizes = [1, 100, 1000, 5000];
const pollMs = 20;

/** What one further record costs in each of many logs: appending it, and a checkpoint that covers it. */
export async function measureGrowth(
  stack: Stack,
  pool: Pool,
  rounds: number,
  print: (text: string) => void,
): Promise<Lot[]> {
  const gateway = await connectAs(stack, 'gateway');
  const round = async (organizations: number): Promise<Lot> => {
    const orgs = Array.from({ length: organizations }, (_, n) => `growth-${n}`);
    const before = await stack.cpu();
    const began = performance.now();
    await appendTo(gateway, orgs, 4);
    const appendedMs = performance.now() - began;
    while (await isUnsigned(pool)) await sleep(pollMs);
    const signedMs = performance.now() - began;
    const cpu = [...(await stack.cpu())].map(
      ([process, micros]) => [process, (micros - (before.get(process) ?? 0)) / organizations] as const,
    );
    return { organizations, appendedMs, signedMs, cpu: Object.fromEntries(cpu) };
  };
  const lots: Lot[] = [];
  for (const organizations of sizes) {
    print(`Appending a record to each of ${organizations} logs, and waiting for their checkpoints ...`);
    // The first rounds create the logs and their keys, and warm up.
    for (let n = 0; n < 3; n += 1) await round(organizations);
    const measured: Lot[] = [];
    for (let n = 0; n < rounds; n += 1) measured.push(await round(organizations));
    lots.push(medianOf(measured));
  }
  await gateway.close();
  return lots;
}

async function isUnsigned(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ unsigned: boolean }>(
    `SELECT EXISTS (SELECT FROM audit.head h LEFT JOIN audit.checkpoint c USING (org)
                     WHERE h.org LIKE 'growth-%' AND h.seq <> coalesce(c.size, 0)) AS unsigned`,
  );
  return rows[0]!.unsigned;
}

function medianOf(lots: readonly Lot[]): Lot {
  const of = (value: (lot: Lot) => number): number => median(lots.map(value));
  const processes = Object.keys(lots[0]!.cpu);
  return {
    organizations: lots[0]!.organizations,
    appendedMs: of((lot) => lot.appendedMs),
    signedMs: of((lot) => lot.signedMs),
    cpu: Object.fromEntries(processes.map((process) => [process, of((lot) => lot.cpu[process] ?? 0)])),
  };
}

export function growthTable(lots: readonly Lot[]): string {
  const processes = ['postgres', 'nats', 'audit'];
  const rows = lots.map(({ organizations, appendedMs, signedMs, cpu }) => [
    String(organizations),
    figure(appendedMs),
    figure(signedMs),
    ...processes.map((process) => figure(cpu[process] ?? 0)),
    figure(processes.reduce((sum, process) => sum + (cpu[process] ?? 0), 0)),
  ]);
  return table(['organizations', 'appended after ms', 'signed after ms', ...processes, 'CPU µs each'], rows);
}
