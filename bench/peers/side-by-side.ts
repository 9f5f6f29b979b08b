import { join } from 'node:path';
import type { Pool } from 'pg';
import { freePort } from '@holdfast/testing';
import type { Case } from '../cases.ts';
import type { Bench, Measured } from '../measure.ts';
import type { Options } from '../options.ts';
import { allStats, cpuOfTree, pssOf } from '../processes.ts';
import type { Stack } from '../stack.ts';
import { median } from '../statistics.ts';
import { figure, megabytes, table } from '../table.ts';
import { warmUp } from '../warm-up.ts';
import type { HttpJob } from '../workers/job.ts';
import { startBetterAuth } from './better-auth.ts';
import { startGlewlwyd } from './glewlwyd.ts';
import { expectToken, type Peer } from './peer.ts';

interface Contender {
  name: string;
  job: () => Promise<HttpJob>;
}

export interface SideBySide {
  rows: { name: string; concurrency: number; rounds: Measured[] }[];
  /** PSS in bytes after the load, without PostgreSQL. */
  memory: Map<string, number>;
  notFlat: string[];
  missing: string[];
}

/**
 * Tokens for client credentials, issued by this stack and by other authorization servers alternately. Each peer has a
 * database of its own in the PostgreSQL of the stack, which counts as part of the one under load.
 */
export async function measurePeers(
  { stack, bench, pool, home }: { stack: Stack; bench: Bench; pool: Pool; home: string },
  cases: () => Promise<Case[]>,
  { rounds, seconds, concurrency }: Options,
  print: (text: string) => void,
): Promise<SideBySide> {
  const { peers, missing } = await startPeers(stack, pool, home, print);
  try {
    for (const peer of peers) {
      await expectToken(peer);
      bench.addBaseline(peer.url, async () => {
        const postgres = (await stack.cpu()).get('postgres') ?? 0;
        return new Map([
          ['itself', cpuOfTree(peer.pid, allStats())],
          ['postgres', postgres],
        ]);
      });
    }
    const tokenCase = async () => (await cases()).find(({ name }) => name === 'token')!;
    const contenders: Contender[] = [
      { name: 'Holdfast', job: async () => (await tokenCase()).stack as HttpJob },
      { name: 'stock oidc-provider, in memory', job: async () => (await tokenCase()).baseline as HttpJob },
      ...peers.map(({ name, version, url, tokenRequest }) => ({
        name: `${name} (${version})`,
        job: async (): Promise<HttpJob> => ({ kind: 'http', url, requests: [tokenRequest], expect: 200 }),
      })),
    ];
    const notFlat: string[] = [];
    for (const { name, job } of contenders) {
      const load = { concurrency: Math.max(...concurrency), seconds };
      const { runs, flat } = await warmUp(async () => (await bench.measure(await job(), load)).total);
      print(`Warmed up: ${name}, ${runs} runs`);
      if (!flat) notFlat.push(name);
    }
    const rows = contenders.flatMap((each) => concurrency.map((inFlight) => ({ ...each, concurrency: inFlight })));
    const measured = rows.map(({ name, concurrency: inFlight }) => ({
      name,
      concurrency: inFlight,
      rounds: [] as Measured[],
    }));
    for (let round = 1; round <= rounds; round += 1)
      for (const [i, { name, job, concurrency: inFlight }] of rows.entries()) {
        const result = await bench.measure(await job(), { concurrency: inFlight, seconds });
        print(`Round ${round} of ${rounds}: ${name} at ${inFlight}: ${figure(result.total)} µs`);
        measured[i]!.rounds.push(result);
      }
    const services = (await stack.members()).filter(({ name }) => name !== 'postgres');
    const memory = new Map([
      ['Holdfast', services.reduce((sum, { pid }) => sum + pssOf(pid), 0)],
      ...peers.map(({ name, version, pid }) => [`${name} (${version})`, pssOf(pid)] as const),
    ]);
    return { rows: measured, memory, notFlat, missing };
  } finally {
    await Promise.all(peers.map((peer) => peer.end()));
  }
}

async function startPeers(
  stack: Stack,
  pool: Pool,
  home: string,
  print: (text: string) => void,
): Promise<{ peers: Peer[]; missing: string[] }> {
  const peers: Peer[] = [];
  const missing: string[] = [];
  const starts = { 'better-auth': startBetterAuth, glewlwyd: startGlewlwyd };
  for (const [name, start] of Object.entries(starts)) {
    print(`Starting ${name} ...`);
    const database = `peer_${name.replace('-', '_')}`;
    await pool.query(`CREATE DATABASE ${database}`);
    const url = new URL(stack.databaseUrl);
    url.pathname = `/${database}`;
    try {
      const peer = await start(join(home, 'peers', name), url.href, await freePort());
      if (peer) peers.push(peer);
      else missing.push(`${name} is not installed (apt-get install ${name}), so it is missing here.`);
    } catch (error) {
      missing.push(`${name} did not start, so it is missing here: ${(error as Error).message}`);
    }
  }
  return { peers, missing };
}

export function peersTable({ rows, memory, notFlat, missing }: SideBySide): string {
  const of = (rounds: Measured[], value: (m: Measured) => number): number => median(rounds.map(value));
  const holdfast = new Map(
    rows
      .filter(({ name }) => name === 'Holdfast')
      .map(({ concurrency, rounds }) => [concurrency, of(rounds, (m) => m.total)]),
  );
  const cells = rows.map(({ name, concurrency, rounds }) => {
    const total = of(rounds, (m) => m.total);
    return [
      name,
      String(concurrency),
      figure(of(rounds, (m) => m.rate)),
      figure(of(rounds, (m) => m.p50)),
      figure(of(rounds, (m) => m.p99)),
      figure(total),
      figure(of(rounds, (m) => m.cpu.postgres ?? 0)),
      figure(total / holdfast.get(concurrency)!),
      memory.has(name) ? megabytes(memory.get(name)!) : '-',
      String(rounds.reduce((sum, m) => sum + m.failures, 0)),
    ];
  });
  return [
    table(
      ['token', 'at', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs', 'of it PostgreSQL', '÷ Holdfast', 'PSS MB', 'failed'],
      cells,
    ),
    ...(notFlat.length > 0 ? [`Not flat after the warm-up: ${notFlat.join('; ')}.`] : []),
    ...missing,
  ].join('\n');
}
