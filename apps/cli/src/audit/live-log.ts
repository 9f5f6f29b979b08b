import type { AuditBroken, ExportedAuditEntry } from '@holdfast/contracts';
import { readCheckpoint, type VerifierKey } from '@holdfast/tlog';
import { fileType, fileVersion, type LogLine } from './exported-log.js';
import { Refusal } from '../refusal.js';
import { LogVerifier, type KeptCheckpoint, type Verdict, type VerifierOptions } from './log-verifier.js';

export interface Page {
  entries: ExportedAuditEntry[];
  /** Covers all entries of the page. */
  checkpoint: string;
  hasMore: boolean;
  /** Absent from houses of before it was told. */
  lateMs?: number | undefined;
  /** Of a log that cannot be signed any more; absent from older deployments. */
  broken?: AuditBroken | undefined;
}

/** The log of a running house from behind a place; over the bus or over HTTP. */
export type ReadPage = (after: number) => Promise<Page>;
export type Progress = (done: number, of: number) => void;

/** A log that grows while it is read, as it was when the reading began. */
export interface LiveLog {
  checkpoint: string;
  size: number;
  /** Read after the checkpoint, and only ever rises: what it says holds for all entries of then. */
  lateMs?: number;
  broken?: AuditBroken;
  pages: AsyncIterable<ExportedAuditEntry[]>;
}

export async function openLive(read: ReadPage, progress: Progress): Promise<LiveLog> {
  const first = await read(0);
  // Whoever signed it: it says how far to read. Its signature is for the verifier.
  // Of a broken log not even an old checkpoint may be left.
  const size = first.broken && first.checkpoint === '' ? 0 : readCheckpoint(first.checkpoint).size;
  const { checkpoint, lateMs, broken } = first;
  return { checkpoint, size, ...(lateMs !== undefined && { lateMs }), ...(broken && { broken }), pages: pagesUpTo(size, first, read, progress) };
}

async function* pagesUpTo(size: number, first: Page, read: ReadPage, progress: Progress): AsyncGenerator<ExportedAuditEntry[]> {
  let done = 0;
  for (let page: Page | undefined = first; page; ) {
    const last: number = page.entries.at(-1)?.seq ?? size;
    // Asked for before this one is worked on, so that both sides are busy.
    const next: Promise<Page> | undefined = page.hasMore && last < size ? read(last) : undefined;
    // Should the reader stop first, nobody else hears of its failure.
    next?.catch(() => undefined);
    const entries = ofThen(page, size);
    if (entries.length > 0) yield entries;
    done += entries.length;
    progress(done, size);
    page = await next;
  }
}

/** Of a page those of when the reading began, and those that no checkpoint covers, not even the page's own: somebody put them there. */
function ofThen({ entries, checkpoint }: Page, size: number): ExportedAuditEntry[] {
  if ((entries.at(-1)?.seq ?? 0) <= size) return entries;
  const now = checkpoint === '' ? 0 : readCheckpoint(checkpoint).size;
  return entries.filter(({ seq }) => seq <= size || seq > now);
}

export async function verifyLive(log: LiveLog, keys: readonly VerifierKey[], kept: readonly KeptCheckpoint[], options?: VerifierOptions): Promise<Verdict> {
  const verifier = new LogVerifier(keys, kept, options);
  for await (const entries of log.pages) for (const entry of entries) verifier.add(entry);
  return verifier.end(log.checkpoint, log);
}

/** The log as a file, line by line. */
export async function* fileLines(log: LiveLog): AsyncGenerator<string> {
  const line = (object: LogLine) => `${JSON.stringify(object)}\n`;
  if (log.checkpoint === '') throw new Refusal(`There is nothing to export that was signed: ${log.broken?.detail ?? 'there is no checkpoint'}.`);
  yield line({ type: fileType, version: fileVersion, origin: readCheckpoint(log.checkpoint).origin });
  let count = 0;
  let lastSeq = 0;
  for await (const entries of log.pages) {
    count += entries.length;
    lastSeq = entries.at(-1)!.seq;
    yield entries.map(line).join('');
  }
  yield line({ type: 'end', count, lastSeq, checkpoint: log.checkpoint, ...(log.lateMs !== undefined && { lateMs: log.lateMs }), ...(log.broken && { broken: log.broken }) });
}
