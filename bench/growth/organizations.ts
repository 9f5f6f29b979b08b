import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { appendTo, connectAs } from '../log-load.ts';
import type { Stack } from '../stack.ts';
import { cpuSince, mediansOf, type Lot, type Point } from './lot.ts';

const sizes = [1, 100, 1000, 5000];
const processes = ['postgres', 'nats', 'audit'];
const pollMs = 20;
/** They create the logs and their keys, and warm up. */
const warmUpRounds = 3;

/** What one further record costs in each of many logs: appending it, and a checkpoint that covers it. */
export async function growOrganizations(
  stack: Stack,
  pool: Pool,
  { rounds, largest }: { rounds: number; largest: number },
  print: (text: string) => void,
): Promise<Lot> {
  const gateway = await connectAs(stack, 'gateway');
  const round = async (organizations: number): Promise<Point['figures']> => {
    const orgs = Array.from({ length: organizations }, (_, n) => `growth-${n}`);
    const before = await stack.cpu();
    const began = performance.now();
    await appendTo(gateway, orgs, 4);
    const appendedMs = performance.now() - began;
    while (await isUnsigned(pool)) await sleep(pollMs);
    const signedMs = performance.now() - began;
    const cpu = cpuSince(before, await stack.cpu(), organizations);
    const each = processes.map((process) => [`${process} CPU µs`, cpu[process] ?? 0] as const);
    return {
      'appended after ms': appendedMs,
      'signed after ms': signedMs,
      ...Object.fromEntries(each),
      'CPU µs each': each.reduce((sum, [, micros]) => sum + micros, 0),
    };
  };
  const points: Point[] = [];
  for (const size of sizes.filter((each) => each <= largest)) {
    print(`Appending a record to each of ${size} logs, and waiting for their checkpoints ...`);
    for (let n = 0; n < warmUpRounds; n += 1) await round(size);
    const measured: Point['figures'][] = [];
    for (let n = 0; n < rounds; n += 1) measured.push(await round(size));
    points.push({ size, figures: mediansOf(measured) });
  }
  await gateway.close();
  return { name: 'organizations', points };
}

async function isUnsigned(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ unsigned: boolean }>(
    `SELECT EXISTS (SELECT FROM audit.head h LEFT JOIN audit.checkpoint c USING (org)
                     WHERE h.org LIKE 'growth-%' AND h.seq <> coalesce(c.size, 0)) AS unsigned`,
  );
  return rows[0]!.unsigned;
}
