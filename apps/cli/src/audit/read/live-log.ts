import { setTimeout as delay } from 'node:timers/promises';
import type { AuditBroken, ExportedAuditEntry } from '@holdfast/contracts';
import {
  Drops,
  fileType,
  fileVersion,
  leafFacts,
  LogVerifier,
  type KeptCheckpoint,
  type LogEnd,
  type LogLine,
  type Verdict,
  type VerifierOptions,
} from '@holdfast/log-verifier';
import { readCheckpoint, type VerifierKey } from '@holdfast/tlog';
import { CommandError } from '../../command-error.js';

export interface Page {
  entries: ExportedAuditEntry[];
  /** Covers all entries of the page. */
  checkpoint: string;
  hasMore: boolean;
  /** Absent from older deployments. */
  lateMs?: number | undefined;
  /** Set when the log cannot be signed any more; absent from older deployments. */
  broken?: AuditBroken | undefined;
}

/** Reads a page of a live log, over the bus or over HTTP: the entries after this sequence number. */
export type ReadPage = (after: number) => Promise<Page>;
export type Progress = (done: number, of: number) => void;

/** The consumer of the pages of a log that grows during the reading. */
interface Reader {
  /** Whether entries have no bytes whose drop is not recorded in the entries read so far. */
  awaitsDropRecord: () => boolean;
  /** All entries that this checkpoint covers were read; later ones follow. */
  continueFrom?: (checkpoint: string) => void;
}

/** How long to wait for the record of a drop. Audit appends it within a second, unless it is overloaded. */
interface DropRecordWait {
  timeoutMs: number;
  intervalMs: number;
}

/**
 * A live log as it was when the reading began. If entries are dropped meanwhile, reading continues to the drop record.
 */
export class LiveLog {
  checkpoint: string;
  size: number;
  /** Read after the checkpoint. It never decreases, so it holds for all entries that the checkpoint covers. */
  lateMs: number | undefined;
  readonly broken: AuditBroken | undefined;
  /** Size of the log when the reading began; set when reading continued after that. */
  began: number | undefined;

  private constructor(
    private readonly first: Page,
    private readonly read: ReadPage,
    private readonly progress: Progress,
    private readonly wait: DropRecordWait,
  ) {
    this.checkpoint = first.checkpoint;
    // The size only limits the reading; the verifier checks the signature. A broken log may have no checkpoint at all.
    this.size = first.broken && first.checkpoint === '' ? 0 : readCheckpoint(first.checkpoint).size;
    this.lateMs = first.lateMs;
    this.broken = first.broken;
  }

  static async open(
    read: ReadPage,
    progress: Progress,
    wait: DropRecordWait = { timeoutMs: 10_000, intervalMs: 500 },
  ): Promise<LiveLog> {
    return new LiveLog(await read(0), read, progress, wait);
  }

  /** All entries. The other properties of the log are final when these have been read. */
  async *pages({ awaitsDropRecord, continueFrom }: Reader): AsyncGenerator<ExportedAuditEntry[]> {
    yield* pagesUpTo(this.size, this.first, this.read, this.progress);
    if (this.broken) return;
    // The record of a drop during the reading comes after the checkpoint that the reading began with.
    for (const giveUpAt = Date.now() + this.wait.timeoutMs; awaitsDropRecord() && Date.now() < giveUpAt;) {
      const page = await this.read(this.size);
      const { size } = readCheckpoint(page.checkpoint);
      if (size > this.size) {
        continueFrom?.(this.checkpoint);
        const before = this.size;
        this.began ??= before;
        [this.checkpoint, this.size, this.lateMs] = [page.checkpoint, size, page.lateMs];
        yield* pagesUpTo(size, page, this.read, this.progress, before);
      }
      if (awaitsDropRecord()) await delay(this.wait.intervalMs);
    }
  }

  /** The properties that follow the entries. */
  get end(): Pick<LogEnd, 'lateMs' | 'broken' | 'began'> {
    const { lateMs, broken, began } = this;
    return {
      ...(lateMs !== undefined && { lateMs }),
      ...(began !== undefined && { began }),
      ...(broken && { broken }),
    };
  }
}

async function* pagesUpTo(
  size: number,
  first: Page,
  read: ReadPage,
  progress: Progress,
  before = 0,
): AsyncGenerator<ExportedAuditEntry[]> {
  let done = before;
  for (let page: Page | undefined = first; page;) {
    const last: number = page.entries.at(-1)?.seq ?? size;
    // Requested before this page is processed, so that audit and this program work concurrently.
    const next: Promise<Page> | undefined = page.hasMore && last < size ? read(last) : undefined;
    // If the consumer stops first, its failure must not become an unhandled rejection.
    next?.catch(() => undefined);
    const entries = withinSize(page, size);
    if (entries.length > 0) yield entries;
    done += entries.length;
    progress(done, size);
    page = await next;
  }
}

/** The entries up to this size, and those after the page's own checkpoint: only tampering can have inserted these. */
function withinSize({ entries, checkpoint }: Page, size: number): ExportedAuditEntry[] {
  if ((entries.at(-1)?.seq ?? 0) <= size) return entries;
  const covered = checkpoint === '' ? 0 : readCheckpoint(checkpoint).size;
  return entries.filter(({ seq }) => seq <= size || seq > covered);
}

export async function verifyLive(
  log: LiveLog,
  keys: readonly VerifierKey[],
  kept: readonly KeptCheckpoint[],
  options?: VerifierOptions,
): Promise<Verdict> {
  const verifier = new LogVerifier(keys, kept, options);
  const reader = {
    awaitsDropRecord: () => verifier.awaitsDropRecord,
    continueFrom: (checkpoint: string) => verifier.continueFrom(checkpoint),
  };
  for await (const entries of log.pages(reader)) for (const entry of entries) verifier.add(entry);
  return verifier.end(log.checkpoint, log.end);
}

/** The lines of an exported log. */
export async function* fileLines(log: LiveLog): AsyncGenerator<string> {
  const line = (object: LogLine) => `${JSON.stringify(object)}\n`;
  if (log.checkpoint === '')
    throw new CommandError(`The log has no signed entries to export: ${log.broken?.detail ?? 'it has no checkpoint'}.`);
  yield line({ type: fileType, version: fileVersion, origin: readCheckpoint(log.checkpoint).origin });
  const drops = new Drops();
  let count = 0;
  let lastSeq = 0;
  for await (const entries of log.pages({ awaitsDropRecord: () => drops.awaitsRecord })) {
    count += entries.length;
    lastSeq = entries.at(-1)!.seq;
    for (const entry of entries) addToDrops(drops, entry);
    yield entries.map(line).join('');
  }
  yield line({ type: 'end', count, lastSeq, checkpoint: log.checkpoint, ...log.end });
}

/** An unreadable record is exported as it is: verification of the file reports it. */
function addToDrops(drops: Drops, entry: ExportedAuditEntry): void {
  drops.add(entry);
  if (entry.leaf === undefined || entry.found?.action !== 'audit.drop') return;
  try {
    drops.record(entry.seq, leafFacts(Buffer.from(entry.leaf, 'base64')));
  } catch {
    // An unreadable record accounts for no entries.
  }
}
