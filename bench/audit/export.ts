import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  createWriteStream,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import type { AuditExport } from '@holdfast/contracts';
import { append, connectAs } from '../log-load.ts';
import { allStats, rssOfTree } from '../processes.ts';
import type { Stack } from '../stack.ts';
import { figure, megabytes, table } from '../table.ts';
import { Auditor, org, sizeOfLog, uncounted } from './auditor.ts';

const commandLine = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));
const messagesInFlight = 8;
const recordsPerPart = 20_000;
const shares = [0, 0.1, 0.5, 1];

/** RSS in bytes of each service, when a share of the work was done. */
type Course = { share: number; rss: Record<string, number> }[];

export interface MeasuredExport {
  entries: number;
  bytes: number;
  written: { seconds: number; course: Course };
  downloaded: { seconds: number; course: Course };
  verified: { seconds: number; peakRss: number };
  /** The last line of the verifier about a copy with one changed byte. */
  tampered: string;
}

/** An export with proof of a large log: written, downloaded, verified, and a changed copy of it. */
export async function measureExport(
  stack: Stack,
  pool: Pool,
  entries: number,
  print: (text: string) => void,
): Promise<MeasuredExport> {
  const missing = Math.max(0, entries - (await sizeOfLog(pool)));
  print(`Appending ${missing} records, until the log has ${entries} ...`);
  const gateway = await connectAs(stack, 'gateway');
  // In parts, since the messages of one are made before the first is sent.
  for (let appended = 0; appended < missing; appended += recordsPerPart)
    await append(gateway, org, Math.min(recordsPerPart, missing - appended), messagesInFlight);
  await gateway.close();
  // Counting for analytics would be part of the figures.
  while ((await uncounted(pool)) > 0) await sleep(500);
  const auditor = await Auditor.create(stack, 'audit:export', 'audit:read');
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  try {
    const file = join(folder, 'log.ndjson');
    const { made, ...written } = await write(stack, auditor, print);
    const downloaded = await download(stack, auditor, made, file, print);
    print('Verifying the file, and a changed copy ...');
    const { keys } = (await (await auditor.fetch('keys')).json()) as { keys: string[] };
    const { status, output, ...verified } = await verify(file, keys[0]!);
    if (status !== 0) throw new Error(`The export does not verify: ${output}`);
    changeOneByte(file);
    const tampered = await verify(file, keys[0]!);
    if (tampered.status === 0) throw new Error('A changed copy of the export verifies.');
    const [why = ''] = tampered.output.trim().split('\n').slice(-1);
    return { entries: made.entries, bytes: made.bytes, written, downloaded, verified, tampered: why };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function write(stack: Stack, auditor: Auditor, print: (text: string) => void) {
  print('Writing the export ...');
  const memory = await MemoryCourse.of(stack, ['audit']);
  const began = performance.now();
  const created = await auditor.fetch('exports', { method: 'POST', json: { format: 'ndjson', proof: true } });
  let made = (await created.json()) as AuditExport;
  while (made.state === 'queued' || made.state === 'running') {
    await sleep(100);
    made = (await (await auditor.fetch(`exports/${made.id}`)).json()) as AuditExport;
    memory.take(made.progress ? made.progress.seq / made.progress.size : 0);
  }
  if (made.state !== 'ready') throw new Error(`The export is ${made.state}: ${made.reason}`);
  return { made, seconds: (performance.now() - began) / 1000, course: memory.course };
}

async function download(stack: Stack, auditor: Auditor, made: AuditExport, to: string, print: (text: string) => void) {
  print(`Downloading ${megabytes(made.bytes)} MB ...`);
  const memory = await MemoryCourse.of(stack, ['audit', 'gateway']);
  const began = performance.now();
  const { body } = await auditor.fetch(`exports/${made.id}/file`);
  const hash = createHash('sha256');
  let received = 0;
  const timer = setInterval(() => memory.take(received / made.bytes), 100);
  await pipeline(
    Readable.fromWeb(body as never),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        received += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(to),
  );
  clearInterval(timer);
  memory.take(1);
  if (hash.digest('hex') !== made.sha256) throw new Error('The downloaded file is not the exported one.');
  return { seconds: (performance.now() - began) / 1000, course: memory.course };
}

/** Samples the memory of services when shares of the work are done. */
class MemoryCourse {
  readonly course: Course = [];
  readonly #members: { name: string; pid: number }[];

  static async of(stack: Stack, names: string[]): Promise<MemoryCourse> {
    return new MemoryCourse((await stack.members()).filter(({ name }) => names.includes(name)));
  }

  private constructor(members: { name: string; pid: number }[]) {
    this.#members = members;
    this.take(0);
  }

  take(done: number): void {
    while (this.course.length < shares.length && done >= shares[this.course.length]!) {
      const stats = allStats();
      const rss = Object.fromEntries(this.#members.map(({ name, pid }) => [name, rssOfTree(pid, stats)]));
      this.course.push({ share: shares[this.course.length]!, rss });
    }
  }
}

async function verify(file: string, key: string) {
  const began = performance.now();
  const verifier = spawn(process.execPath, [commandLine, 'audit', 'verify', file, '--key', key]);
  let [output, peakRss] = ['', 0];
  for (const stream of [verifier.stdout, verifier.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  const timer = setInterval(() => (peakRss = Math.max(peakRss, peakOf(verifier.pid!))), 100);
  const [status] = (await once(verifier, 'close')) as [number | null];
  clearInterval(timer);
  return { status, output, seconds: (performance.now() - began) / 1000, peakRss };
}

function peakOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    // It has ended.
    return 0;
  }
}

/** Changes one byte of an entry in the middle of the file, so that the line is still JSON. */
function changeOneByte(file: string): void {
  const handle = openSync(file, 'r+');
  const window = Buffer.alloc(65_536);
  const start = Math.floor(statSync(file).size / 2);
  readSync(handle, window, 0, window.length, start);
  const at = window.indexOf('"leaf":"') + 60;
  const changed = window[at] === 'A'.charCodeAt(0) ? 'B' : 'A';
  writeSync(handle, changed, start + at);
  closeSync(handle);
}

export function exportTable(measured: MeasuredExport): string {
  const { entries, bytes, written, downloaded, verified, tampered } = measured;
  const row = (name: string, service: string, { seconds, course }: { seconds: number; course: Course }): string[] => [
    name,
    service,
    figure(seconds),
    figure(entries / seconds),
    ...course.map(({ rss }) => megabytes(rss[service]!)),
  ];
  const head = ['export with proof', 'RSS MB of', 's', 'entries/s', ...shares.map((share) => `${share * 100} %`)];
  const rows = [
    row('written', 'audit', written),
    row('downloaded', 'audit', downloaded),
    row('downloaded', 'gateway', downloaded),
  ];
  const offline = `${figure(verified.seconds)} s with at most ${megabytes(verified.peakRss)} MB`;
  return [
    table(head, rows),
    `${entries} entries, ${megabytes(bytes)} MB. Verified offline in ${offline}.`,
    `A copy with one changed byte: ${tampered}`,
  ].join('\n\n');
}
