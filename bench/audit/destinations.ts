import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import type { Pool } from 'pg';
import type { AuditDestination, CreatedAuditDestination } from '@holdfast/contracts';
import { TestAuthority } from '@holdfast/testing';
import { cpuSince } from '../growth/lot.ts';
import { append, connectAs } from '../log-load.ts';
import type { Stack } from '../stack.ts';
import { median } from '../statistics.ts';
import { figure, table } from '../table.ts';
import { Auditor, org, sizeOfLog } from './auditor.ts';

interface Measured {
  kind: string;
  /** Entries that the receiver has confirmed. */
  entries: number;
  seconds: number;
  /** µs per entry, by process. */
  cpu: Record<string, number>;
}

export interface MeasuredDestinations {
  rounds: Measured[][];
}

const messagesInFlight = 8;

/** How many entries of a log a destination of each kind gets in a second, from the beginning of the log. */
export async function measureDestinations(
  stack: Stack,
  pool: Pool,
  { rounds, entries, receiverUrl, tlsUrl }: { rounds: number; entries: number; receiverUrl: string; tlsUrl: string },
  print: (text: string) => void,
): Promise<MeasuredDestinations> {
  const gateway = await connectAs(stack, 'gateway');
  await append(gateway, org, Math.max(0, entries - (await sizeOfLog(pool))), messagesInFlight);
  await gateway.close();
  const auditor = await Auditor.create(stack, 'audit:export');
  const receiver = await openReceiver(new URL(receiverUrl));
  const { server: syslogReceiver, caCertificate } = await openSyslog(new URL(tlsUrl));
  const { hostname: host, port } = new URL(tlsUrl);
  const kinds = [
    { kind: 'https', settings: { url: `${receiverUrl}/https`, encoding: 'ndjson' } },
    { kind: 'splunk_hec', settings: { url: receiverUrl }, credentials: { token: 'bench' } },
    { kind: 'elasticsearch', settings: { url: receiverUrl, index: 'audit' }, credentials: { apiKey: 'bench' } },
    { kind: 'otlp_http', settings: { url: `${receiverUrl}/v1/logs` } },
    { kind: 'syslog', settings: { host, port: Number(port), caCertificate } },
  ];
  const measured: Measured[][] = [];
  for (let round = 1; round <= rounds; round += 1) {
    print(`Sending the log to destinations, round ${round} of ${rounds} ...`);
    const results: Measured[] = [];
    for (const json of kinds) results.push({ kind: json.kind, ...(await sendTo(json, stack, pool, auditor)) });
    measured.push(results);
  }
  syslogReceiver.close();
  receiver.closeAllConnections();
  receiver.close();
  return { rounds: measured };
}

async function sendTo(json: object, stack: Stack, pool: Pool, auditor: Auditor): Promise<Omit<Measured, 'kind'>> {
  const entries = await sizeOfLog(pool);
  const before = await stack.cpu();
  const began = performance.now();
  const created = await auditor.fetch('destinations', { method: 'POST', json: { ...json, after: 0 } });
  const { id } = (await created.json()) as CreatedAuditDestination;
  // The state is read from the database: each request to the Admin API is an entry of the log.
  const confirmed = async (): Promise<number> => {
    const { rows } = await pool.query<{ after: string }>(
      'SELECT after_seq AS after FROM signals.audit_delivery WHERE destination = $1 AND org = $2',
      [id, org],
    );
    return Number(rows[0]?.after ?? 0);
  };
  while ((await confirmed()) < entries) {
    await sleep(50);
    if (performance.now() - began > 300_000) {
      const { lastError } = (await (await auditor.fetch(`destinations/${id}`)).json()) as AuditDestination & {
        lastError?: unknown;
      };
      throw new Error(`The destination has not got the log after five minutes: ${JSON.stringify(lastError)}`);
    }
  }
  const seconds = (performance.now() - began) / 1000;
  const cpu = cpuSince(before, await stack.cpu(), entries);
  await auditor.fetch(`destinations/${id}`, { method: 'DELETE' });
  return { entries, seconds, cpu };
}

/** Confirms every batch at once, as each product does. */
async function openReceiver({ hostname, port }: URL): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url !== '/_bulk') return void response.end(JSON.stringify({ text: 'Success', code: 0 }));
      const lines = Buffer.concat(chunks).toString('latin1').split('\n').length - 1;
      const items = Array.from({ length: lines / 2 }, () => ({ create: { status: 201 } }));
      response.end(JSON.stringify({ errors: false, items }));
    });
  });
  await once(server.listen(Number(port), hostname), 'listening');
  return server;
}

/** Reads each connection to its end and closes it. */
async function openSyslog({ hostname, port }: URL) {
  const authority = await TestAuthority.create(mkdtempSync(join(tmpdir(), 'holdfast-bench-')));
  const { certFile, keyFile } = await authority.issue(hostname);
  const read = (file: string): string => readFileSync(file, 'utf8');
  const [caCertificate, cert, key] = [read(authority.caFile), read(certFile), read(keyFile)];
  rmSync(authority.folder, { recursive: true });
  const server = createTlsServer({ cert, key }, (socket) => void socket.on('error', () => undefined).resume());
  await once(server.listen(Number(port), hostname), 'listening');
  return { server, caCertificate };
}

export function destinationsTable({ rounds }: MeasuredDestinations): string {
  const processes = ['signals', 'audit', 'nats', 'postgres'];
  const head = ['destination', 'entries', 'entries/s', '÷ https', 'CPU µs each', ...processes];
  const rows = rounds[0]!.map(({ kind, entries }, i) => {
    const rate = (round: Measured[], of = i): number => round[of]!.entries / round[of]!.seconds;
    const total = (round: Measured[]): number => Object.values(round[i]!.cpu).reduce((sum, micros) => sum + micros, 0);
    return [
      kind,
      String(entries),
      figure(median(rounds.map((round) => rate(round)))),
      figure(median(rounds.map((round) => rate(round) / rate(round, 0)))),
      figure(median(rounds.map(total))),
      ...processes.map((process) => figure(median(rounds.map((round) => round[i]!.cpu[process] ?? 0)))),
    ];
  });
  return table(head, rows);
}
