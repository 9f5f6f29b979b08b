import type { ExportedAuditEntry } from '@holdfast/contracts';
import { readCheckpoint, type VerifierKey } from '@holdfast/tlog';
import { fileType, fileVersion, type LogLine } from './exported-log.js';
import { LogVerifier, type KeptCheckpoint, type Verdict, type VerifierOptions } from './log-verifier.js';

export interface Page {
  entries: ExportedAuditEntry[];
  /** Covers all entries of the page. */
  checkpoint: string;
  hasMore: boolean;
  /** Absent from houses of before it was told. */
  lateMs?: number | undefined;
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
  pages: AsyncIterable<ExportedAuditEntry[]>;
}

export async function openLive(read: ReadPage, progress: Progress): Promise<LiveLog> {
  const first = await read(0);
  // Whoever signed it: it says how far to read. Its signature is for the verifier.
  const { size } = readCheckpoint(first.checkpoint);
  return { checkpoint: first.checkpoint, size, ...(first.lateMs !== undefined && { lateMs: first.lateMs }), pages: pagesUpTo(size, first, read, progress) };
}

async function* pagesUpTo(size: number, first: Page, read: ReadPage, progress: Progress): AsyncGenerator<ExportedAuditEntry[]> {
  let page = first;
  let done = 0;
  for (;;) {
    const entries = ofThen(page, size);
    if (entries.length > 0) yield entries;
    done += entries.length;
    progress(done, size);
    const last = page.entries.at(-1)?.seq ?? size;
    if (!page.hasMore || last >= size) return;
    page = await read(last);
  }
}

/** Of a page those of when the reading began, and those that no checkpoint covers, not even the page's own: somebody put them there. */
function ofThen({ entries, checkpoint }: Page, size: number): ExportedAuditEntry[] {
  if ((entries.at(-1)?.seq ?? 0) <= size) return entries;
  const { size: now } = readCheckpoint(checkpoint);
  return entries.filter(({ seq }) => seq <= size || seq > now);
}

export async function verifyLive(log: LiveLog, keys: readonly VerifierKey[], kept: readonly KeptCheckpoint[], options?: VerifierOptions): Promise<Verdict> {
  const verifier = new LogVerifier(keys, kept, options);
  for await (const entries of log.pages) for (const entry of entries) verifier.add(entry);
  return verifier.end(log.checkpoint, log.lateMs);
}

/** The log as a file, line by line. */
export async function* fileLines(log: LiveLog): AsyncGenerator<string> {
  const line = (object: LogLine) => `${JSON.stringify(object)}\n`;
  yield line({ type: fileType, version: fileVersion, origin: readCheckpoint(log.checkpoint).origin });
  let count = 0;
  let lastSeq = 0;
  for await (const entries of log.pages) {
    count += entries.length;
    lastSeq = entries.at(-1)!.seq;
    yield entries.map(line).join('');
  }
  yield line({ type: 'end', count, lastSeq, checkpoint: log.checkpoint, ...(log.lateMs !== undefined && { lateMs: log.lateMs }) });
}
