import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { metric } from './metrics.ts';
import { allStats, cpuOfTree, pssOf } from './processes.ts';
import type { Stack } from './stack.ts';
import { percentile } from './statistics.ts';
import { figure, megabytes, table } from './table.ts';
import { zipf } from './zipf.ts';

interface Lot {
  name: string;
  requests: number;
  failures: number;
  /** Issuers that were built. */
  misses: number;
  /** Mean time to build one, in ms, by auth's own metric. */
  buildMs: number;
  p50: number;
  p99: number;
  /** CPU time of auth per request, in µs. */
  cpu: number;
}

export interface Issuers {
  organizations: number;
  lots: Lot[];
  /** PSS of auth in bytes. */
  memory: { before: number; after: number };
}

const inFlight = 8;
/** Requests of each kind, with organizations drawn by Zipf's law. */
const draws = 2000;
const redirectUri = 'https://bench.example/callback';

/** As long as the client ids of directory. */
const clientId = `'app_' || rpad($1::text || n, 22, '_')`;

/** Straight into directory's tables, without events: no other service can have cached new organizations. */
const inserts = [
  `INSERT INTO directory.organization (short_id, name)
   SELECT $1::text || n, 'Bench ' || n FROM generate_series(1, $2::int) AS n`,
  `INSERT INTO directory.app (client_id, org, name, kind, audience, credential_type, redirect_uris, api_version)
   SELECT ${clientId}, $1::text || n, 'web', 'web', 'customers', 'customer', ARRAY['${redirectUri}'], '2026-11-01'
   FROM generate_series(1, $2::int) AS n`,
  `INSERT INTO directory.app_secret (id, client_id, hash, slot)
   SELECT gen_random_uuid(), ${clientId}, sha256(convert_to($1::text, 'UTF8')), 1
   FROM generate_series(1, $2::int) AS n`,
];

/** The cost of the issuers of many organizations in one process: generating keys, building issuers, and requests. */
export async function measureIssuers(
  stack: Stack,
  pool: Pool,
  organizations: number,
  print: (text: string) => void,
): Promise<Issuers> {
  print(`Creating ${organizations} organizations ...`);
  const prefix = `b${randomUUID().slice(0, 8)}-`;
  for (const text of inserts) await pool.query(text, [prefix, organizations]);
  const all = Array.from({ length: organizations }, (_, n) => `${prefix}${n + 1}`);
  const discovery = (org: string): string => `/o/${org}/.well-known/openid-configuration`;
  const jwks = (org: string): string => `/o/${org}/jwks`;
  const authorize = (org: string): string => {
    const parameters = {
      response_type: 'code',
      client_id: `app_${org.padEnd(22, '_')}`,
      redirect_uri: redirectUri,
      scope: 'openid',
      state: 's',
      nonce: 'n',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    };
    return `/o/${org}/authorize?${new URLSearchParams(parameters)}`;
  };

  print('Requesting each discovery document for the first time, which generates the keys ...');
  const first = await lot(stack, 'first touch', all.map(discovery), 200);
  await stack.stopMember('auth');
  await stack.startMember('auth');
  // The first requests of a new process load modules, which would count as a cost of the misses.
  await lot(
    stack,
    'warming up',
    Array.from({ length: 300 }, () => discovery('acme')),
    200,
  );
  const before = pssOf(await pidOfAuth(stack));
  print('Requesting each again after a restart of auth, then drawing organizations by Zipf ...');
  const miss = await lot(stack, 'miss', all.map(discovery), 200);
  const after = pssOf(await pidOfAuth(stack));
  const draw = zipf(organizations);
  const drawn = (path: (org: string) => string): string[] => Array.from({ length: draws }, () => path(all[draw()]!));
  const hits = [
    await lot(stack, 'discovery', drawn(discovery), 200),
    await lot(stack, 'jwks', drawn(jwks), 200),
    await lot(stack, 'authorize', drawn(authorize), 303),
  ];
  return { organizations, lots: [first, miss, ...hits], memory: { before, after } };
}

async function pidOfAuth(stack: Stack): Promise<number> {
  return (await stack.members()).find((m) => m.name === 'auth')!.pid;
}

async function lot(stack: Stack, name: string, paths: readonly string[], expect: number): Promise<Lot> {
  const pid = await pidOfAuth(stack);
  const cpu = (): number => cpuOfTree(pid, allStats());
  const [before, spent] = [await stack.metricsOf('auth'), cpu()];
  const latencies: number[] = [];
  let [next, failures] = [0, 0];
  const loop = async (): Promise<void> => {
    for (let path = paths[next++]; path !== undefined; path = paths[next++]) {
      const began = performance.now();
      const response = await fetch(stack.baseUrl + path, { redirect: 'manual' });
      const text = await response.text();
      if (response.status === expect) latencies.push(performance.now() - began);
      else if (failures++ === 0)
        process.stderr.write(`${name}: ${path} returned ${response.status} ${text.slice(0, 500)}\n`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  const used = cpu() - spent;
  const after = await stack.metricsOf('auth');
  const grown = (metricName: string): number => metric(after, metricName) - metric(before, metricName);
  const sorted = latencies.toSorted((a, b) => a - b);
  return {
    name,
    requests: paths.length,
    failures,
    misses: grown('holdfast_issuer_misses_total'),
    buildMs: (1000 * grown('holdfast_issuer_build_seconds_sum')) / grown('holdfast_issuer_build_seconds_count'),
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    cpu: used / paths.length,
  };
}

export function issuersTable({ organizations, lots, memory }: Issuers): string {
  const rows = lots.map((l) => [
    l.name,
    String(l.requests),
    String(l.misses),
    figure(l.buildMs),
    figure(l.p50),
    figure(l.p99),
    figure(l.cpu),
    String(l.failures),
  ]);
  const [miss, hit] = ['miss', 'discovery'].map((name) => lots.find((l) => l.name === name)!.cpu) as [number, number];
  const head = [
    `issuers of ${organizations}`,
    'requests',
    'built',
    'build ms',
    'p50 ms',
    'p99 ms',
    'auth CPU µs',
    'failed',
  ];
  const cost = `A miss costs auth ${figure(miss / hit)} times the CPU of a hit.`;
  const pss = `${megabytes(memory.before)} MB before the misses, ${megabytes(memory.after)} MB with all issuers`;
  return `${table(head, rows)}\n\n${cost} PSS of auth: ${pss}.`;
}
