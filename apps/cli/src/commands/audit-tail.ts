import { InvalidArgumentError, type Command } from 'commander';
import { followAuditEvents, listAuditLogs, type LogGrowth } from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { eventsAfter, eventsOfAll, lineOf, type ReadOn } from '../audit/read/log-tail.js';
import { CommandError } from '../command-error.js';
import { asOperator, type OperatorSession } from '../operator-session.js';
import { writeOut } from '../output.js';

const pageSize = 500;

interface TailOptions extends Json {
  all?: boolean;
  lines: number;
  since?: Since;
  follow: boolean;
}

/** The first entry, or the time of the first one. */
type Since = { seq: number } | { time: string };

/** `holdfast audit tail`: reads the logs themselves, so it is complete whatever NATS holds. */
export function auditTailCommand(audit: Command): void {
  addCommand(audit, 'tail [org]', 'follow a log: the last entries, and then each new one, with pseudonyms only', [
    'audit tail acme',
    'audit tail acme --since 1201',
    'audit tail acme --since 2026-11-21T09:00:00Z --no-follow --json',
    'audit tail --all --json',
  ])
    .option('--all', 'the logs of all organizations, from now on')
    .option('--lines <n>', 'how many of the last entries of the organization to begin with', lineCount, 10)
    .option('--since <place>', 'begin with this seq, or with the entries of this time or later (RFC 3339)', sinceOf)
    .option('--no-follow', 'end after the newest entry')
    .action((org: string | undefined, options: TailOptions) =>
      asOperator('audit tail', (session) => untilInterrupted((signal) => tail(session, org, options, signal))),
    );
}

async function tail(
  session: OperatorSession,
  org: string | undefined,
  { all = false, lines, since, follow, json }: TailOptions,
  signal: AbortSignal,
): Promise<void> {
  if ((org !== undefined) === all) throw new CommandError('Name an organization, or pass --all.');
  if (org !== undefined) {
    const read = readerOf(session, org, since);
    const place = since === undefined ? Math.max(0, (await read(undefined)).after - lines) : placeBefore(since);
    for await (const event of eventsAfter(read, place, follow, signal))
      await writeOut(`${json ? JSON.stringify(event) : lineOf(event)}\n`);
    return;
  }
  if (since !== undefined && 'seq' in since)
    throw new CommandError('Logs of several organizations have no common seq: pass a time to --since.');
  // The records of one command are one entry of each log.
  const reads = new Map<string, ReadOn>();
  const read = (of: string) => reads.get(of) ?? reads.set(of, readerOf(session, of, since)).get(of)!;
  const logs = { ends: () => endsOfAll(session), read: (of: string, after: number) => read(of)(after) };
  for await (const { of, event } of eventsOfAll(logs, since !== undefined, follow, signal))
    await writeOut(json ? `${JSON.stringify({ organization: of, ...event })}\n` : `${of}  ${lineOf(event)}\n`);
}

function readerOf({ requestsFor }: OperatorSession, org: string, since: Since | undefined): ReadOn {
  const request = requestsFor(org);
  const filter = since !== undefined && 'time' in since ? { from: since.time } : {};
  return (after) =>
    request(followAuditEvents, { filter, limit: 200, named: false, ...(after !== undefined && { after }) });
}

function placeBefore(since: Since): number {
  return 'seq' in since ? Math.max(0, since.seq - 1) : 0;
}

/** The ends of the logs on all shards. */
async function endsOfAll({ requestEach }: OperatorSession): Promise<LogGrowth> {
  const ends = new Map<string, number>();
  for (let after: string | undefined; ;) {
    const pages = await requestEach(listAuditLogs, { limit: pageSize, ...(after !== undefined && { after }) });
    for (const { logs } of pages) for (const [org, seq] of logs) ends.set(org, Math.max(seq, ends.get(org) ?? 0));
    // A shard whose page is full goes on after its last organization. Another one repeats some then.
    const full = pages.flatMap(({ logs }) => (logs.length === pageSize ? [logs.at(-1)![0]] : []));
    if (full.length === 0) return [...ends];
    after = full.sort()[0]!;
  }
}

/**
 * Ctrl-C, or the end of a program such as `head` that reads what this one prints, ends the command as the end of the
 * log does: its connection is closed, and it has succeeded.
 */
async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once('SIGINT', interrupt);
  // Without a listener, Node.js would end the process with the error.
  process.stdout.on('error', interrupt);
  try {
    await work(interrupted.signal).catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== 'EPIPE') throw error;
    });
  } finally {
    process.off('SIGINT', interrupt);
    // The event may follow the failed write.
    setImmediate(() => process.stdout.off('error', interrupt));
  }
}

/** @throws InvalidArgumentError */
function lineCount(value: string): number {
  if (!/^\d{1,6}$/.test(value)) throw new InvalidArgumentError('Use a whole number up to 999999.');
  return Number(value);
}

/** @throws InvalidArgumentError */
function sinceOf(value: string): Since {
  if (/^\d{1,15}$/.test(value)) return { seq: Number(value) };
  if (/^\d{4}-\d{2}-\d{2}T/.test(value)) return { time: value };
  throw new InvalidArgumentError('Use a seq, such as 1201, or a time, such as 2026-11-21T09:00:00Z.');
}
