import { setTimeout as delay } from 'node:timers/promises';
import type { AuditBroken, ExportedAuditEntry } from '@holdfast/contracts';
import { readCheckpoint, type VerifierKey } from '@holdfast/tlog';
import { CommandError } from '../../command-error.js';
import { Drops } from '../verify/drops.js';
import { leafFacts } from '../verify/leaf-facts.js';
import { LogVerifier, type KeptCheckpoint, type Verdict, type VerifierOptions } from '../verify/log-verifier.js';
import { fileType, fileVersion, type LogEnd, type LogLine } from './exported-log.js';

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

/** The log of a running session from behind a place; over the bus or over HTTP. */
export type ReadPage = (after: number) => Promise<Page>;
export type Progress = (done: number, of: number) => void;

/** Who reads a log that grows meanwhile. */
export interface Reader {
  /** Whether entries are gone whose drop is not recorded in what was read. */
  awaitsDropRecord: () => boolean;
  /** All that this checkpoint covers was read; what comes now stands behind it. */
  continueFrom?: (checkpoint: string) => void;
}

/** How the record of a drop is waited for. Audit appends it within a second, when it keeps up. */
export interface DropRecordWait {
  withinMs: number;
  intervalMs: number;
}

/** A log that grows while it is read, as it was when the reading began, unless entries are dropped while it is read. */
export class LiveLog {
  checkpoint: string;
  size: number;
  /** Read after the checkpoint, and only ever rises: what it says holds for all entries of then. */
  lateMs: number | undefined;
  readonly broken: AuditBroken | undefined;
  /** Set when it was read on behind what there was. */
  began: number | undefined;

  private constructor(
    private readonly first: Page,
    private readonly read: ReadPage,
    private readonly progress: Progress,
    private readonly patience: DropRecordWait,
  ) {
    this.checkpoint = first.checkpoint;
    // Whoever signed it: it says how far to read. Its signature is for the verifier.
    // Of a broken log not even an old checkpoint may be left.
    this.size = first.broken && first.checkpoint === '' ? 0 : readCheckpoint(first.checkpoint).size;
    this.lateMs = first.lateMs;
    this.broken = first.broken;
  }

  static async open(
    read: ReadPage,
    progress: Progress,
    patience: DropRecordWait = { withinMs: 10_000, intervalMs: 500 },
  ): Promise<LiveLog> {
    return new LiveLog(await read(0), read, progress, patience);
  }

  /** All entries. What the log says of itself is final when they have been read. */
  async *pages({ awaitsDropRecord, continueFrom }: Reader): AsyncGenerator<ExportedAuditEntry[]> {
    yield* pagesUpTo(this.size, this.first, this.read, this.progress);
    if (this.broken) return;
    // A record of what was dropped meanwhile is behind the checkpoint that the reading began with.
    for (const giveUpAt = Date.now() + this.patience.withinMs; awaitsDropRecord() && Date.now() < giveUpAt;) {
      const page = await this.read(this.size);
      const { size } = readCheckpoint(page.checkpoint);
      if (size > this.size) {
        continueFrom?.(this.checkpoint);
        const before = this.size;
        this.began ??= before;
        [this.checkpoint, this.size, this.lateMs] = [page.checkpoint, size, page.lateMs];
        yield* pagesUpTo(size, page, this.read, this.progress, before);
      }
      if (awaitsDropRecord()) await delay(this.patience.intervalMs);
    }
  }

  /** What came with its entries. */
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

/**
 * Of a page those of when the reading began, and those that no checkpoint covers, not even the page's own: somebody put
 * them there.
 */
function ofThen({ entries, checkpoint }: Page, size: number): ExportedAuditEntry[] {
  if ((entries.at(-1)?.seq ?? 0) <= size) return entries;
  const now = checkpoint === '' ? 0 : readCheckpoint(checkpoint).size;
  return entries.filter(({ seq }) => seq <= size || seq > now);
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

/** The log as a file, line by line. */
export async function* fileLines(log: LiveLog): AsyncGenerator<string> {
  const line = (object: LogLine) => `${JSON.stringify(object)}\n`;
  if (log.checkpoint === '')
    throw new CommandError(
      `There is nothing to export that was signed: ${log.broken?.detail ?? 'there is no checkpoint'}.`,
    );
  yield line({ type: fileType, version: fileVersion, origin: readCheckpoint(log.checkpoint).origin });
  const drops = new Drops();
  let count = 0;
  let lastSeq = 0;
  for await (const entries of log.pages({ awaitsDropRecord: () => drops.awaitsRecord })) {
    count += entries.length;
    lastSeq = entries.at(-1)!.seq;
    for (const entry of entries) noteDrops(drops, entry);
    yield entries.map(line).join('');
  }
  yield line({ type: 'end', count, lastSeq, checkpoint: log.checkpoint, ...log.end });
}

/** A record that cannot be read is written as it is: whoever verifies the file says what is wrong with it. */
function noteDrops(drops: Drops, entry: ExportedAuditEntry): void {
  drops.add(entry);
  if (entry.leaf === undefined || entry.found?.action !== 'audit.drop') return;
  try {
    drops.record(entry.seq, leafFacts(Buffer.from(entry.leaf, 'base64')));
  } catch {
    // It accounts for nothing then.
  }
}
