import { execFile } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ExportedAuditEntry } from '@holdfast/contracts';
import { CompactRange, formatVerifierKey, leafHash } from '@holdfast/tlog';
import { signCheckpoint, verifierKeyOf } from '@holdfast/tlog/signing';
import { allStats, cpuOfTree } from './processes.ts';
import { median } from './statistics.ts';
import { figure, megabytes, table } from './table.ts';

export interface Verified {
  entries: number;
  bytes: number;
  /** Entries per second by the clock, without the start of the program. */
  rate: number;
  /** CPU µs per entry, without the start of the program. */
  cpu: number;
  /** CPU µs per entry for only SHA-256 over the bytes of the file. */
  bare: number;
  /** Milliseconds for a log with one entry, which is the start of the program. */
  start: number;
}

const commandLine = fileURLToPath(new URL('../apps/cli/dist/main.js', import.meta.url));
const origin = 'bench.example/o/acme/audit';

/** Verifies a large exported log with the command line, as an organization would. */
export async function measureVerify(rounds: number, print: (text: string) => void): Promise<Verified> {
  const entries = 200_000;
  print(`Writing a log of ${entries} entries ...`);
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  try {
    const [long, short] = [join(folder, 'long'), join(folder, 'short')];
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const sign = (size: number, root: Buffer): string => signCheckpoint({ origin, size, root }, privateKey);
    const key = formatVerifierKey(verifierKeyOf(origin, publicKey));
    await writeLog(long, entries, sign);
    await writeLog(short, 1, sign);
    const runs: { long: Run; short: Run; bare: number }[] = [];
    for (let round = 1; round <= rounds; round += 1)
      runs.push({ long: await verify(long, key), short: await verify(short, key), bare: bareHash(long) });
    const middle = (of: (run: (typeof runs)[number]) => number): number => median(runs.map(of));
    return {
      entries,
      bytes: statSync(long).size,
      rate: (entries - 1) / ((middle((r) => r.long.milliseconds) - middle((r) => r.short.milliseconds)) / 1000),
      cpu: (middle((r) => r.long.cpu) - middle((r) => r.short.cpu)) / (entries - 1),
      bare: middle((r) => r.bare) / entries,
      start: middle((r) => r.short.milliseconds),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function verifyTable({ entries, bytes, rate, cpu, bare, start }: Verified): string {
  const head = ['verify', 'file MB', 'entries/s', 'CPU µs', 'bare SHA-256 µs', 'CPU ÷ bare', 'start ms'];
  return table(head, [
    [
      `${entries} entries`,
      megabytes(bytes),
      figure(rate),
      figure(cpu),
      figure(bare),
      figure(cpu / bare),
      figure(start),
    ],
  ]);
}

interface Run {
  milliseconds: number;
  cpu: number;
}

async function verify(file: string, key: string): Promise<Run> {
  // This process only waits meanwhile, so that the CPU time of its tree is that of the command line.
  const used = (): number => cpuOfTree(process.pid, allStats());
  const [began, before] = [performance.now(), used()];
  await promisify(execFile)(process.execPath, [commandLine, 'audit', 'verify', file, '--key', key]).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`The log of the benchmark does not verify: ${stdout}${stderr}`);
    },
  );
  return { milliseconds: performance.now() - began, cpu: used() - before };
}

function bareHash(file: string): number {
  const bytes = readFileSync(file);
  const before = process.cpuUsage();
  createHash('sha256').update(bytes).digest();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

async function writeLog(file: string, size: number, sign: (size: number, root: Buffer) => string): Promise<void> {
  const out = openSync(file, 'w');
  const line = (object: object): string => `${JSON.stringify(object)}\n`;
  const range = CompactRange.empty();
  writeSync(out, line({ type: 'holdfast-audit-log', version: 1, origin }));
  for (let seq = 1; seq <= size;) {
    let lines = '';
    for (const end = Math.min(size, seq + 999); seq <= end; seq++) {
      const entry = entryOf(seq);
      range.append(Buffer.from(entry.leafHash, 'base64'));
      lines += line(entry);
    }
    writeSync(out, lines);
    // Lets the connections to the stack answer pings meanwhile.
    await setImmediate();
  }
  writeSync(out, line({ type: 'end', count: size, lastSeq: size, checkpoint: sign(size, range.root()), lateMs: 0 }));
  closeSync(out);
}

/** The entry of an offer, with the pseudonym mappings of customer and offer. */
function entryOf(seq: number): ExportedAuditEntry {
  const pseudonyms = ['customer', 'offer'].map((type) => {
    const [value, salt] = [randomUUID(), randomBytes(16)];
    return {
      type,
      id: createHash('sha256').update(salt).update(value).digest().toString('base64url', 0, 16),
      opened: { value, salt: salt.toString('base64') },
    };
  });
  const record = {
    id: randomUUID(),
    occurredAt: new Date(1_763_700_000_000 + seq).toISOString(),
    action: 'offer.create',
    actor: { type: 'app', id: 'app_2VwT9Qm1xKc7LrZ4bNd8Ya', name: 'shop' },
    targets: pseudonyms.map(({ type, id }) => ({ type, id })),
    outcome: { result: 'success', status: 201 },
    request: {
      id: randomUUID(),
      traceparent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`,
      method: 'POST',
      route: '/o/{shortId}/api/credentials/offers',
    },
  };
  const leaf = Buffer.from(JSON.stringify(record));
  const { id, occurredAt, action, actor, outcome } = record;
  return {
    seq,
    leaf: leaf.toString('base64'),
    leafHash: leafHash(leaf).toString('base64'),
    class: 'changes',
    month: occurredAt.slice(0, 7),
    found: {
      id,
      occurredAt,
      action,
      actor: actor.id,
      outcome: outcome.result,
      targets: pseudonyms.map(({ id }) => id),
    },
    names: pseudonyms.map(({ id, opened }) => ({ pseudonym: id, ...opened })),
  };
}
