import { CompactRange } from '@holdfast/tlog';
import { appendMonth, monthOf } from '../retention/months.js';

/** The end of a log: one row with all that appending needs. Each append locks it until its batch has committed. */
export interface LogHead {
  /** Of the last entry; 0 in an empty log. */
  seq: number;
  /** Hashes of the perfect subtrees (CompactRange.toBytes). */
  range: Buffer;
  /** The partition month of the last entry, see monthOf(). */
  month: number;
  /** The latest `occurredAt` of all entries, in ms. */
  latest: number;
  /**
   * By how many ms at most an entry is older than an entry before it. It bounds the range of `seq` that a time span can
   * cover.
   */
  lateMs: number;
}

export const emptyLogHead: LogHead = { seq: 0, range: Buffer.alloc(0), month: 0, latest: 0, lateMs: 0 };

/** A complete subtree of 256, 65536, … leaves (level 1, 2, …). */
export interface Subtree {
  org: string;
  level: number;
  index: number;
  hash: Buffer;
  /** The latest `occurredAt` of all entries up to its end, in ms. */
  lastAt: number;
}

/** The log accepts no entry until an operator has repaired it: its stored rows contradict each other. */
export class DamagedLog extends Error {
  override name = 'DamagedLog';
}

/** Computes the head and the complete subtrees of a log as entries are appended to it. */
export class LogGrowth {
  private readonly range: CompactRange;
  private latest: number;
  private lateMs: number;
  private month: number;
  private readonly now: number;
  readonly subtrees: Subtree[] = [];

  /** @throws DamagedLog */
  constructor(
    private readonly org: string,
    before: LogHead,
    now: Date,
  ) {
    this.range = rangeOf(org, before);
    this.latest = before.latest;
    this.lateMs = before.lateMs;
    this.month = before.month;
    this.now = monthOf(now);
  }

  get nextSeq(): number {
    return this.range.size + 1;
  }

  /** @returns the partition month of the entry */
  append(leafHash: Buffer, occurredAt: number): number {
    this.latest = Math.max(this.latest, occurredAt);
    // A clock that goes back must not put a later entry into an earlier month: lists read month by month.
    this.month = Math.max(this.month, appendMonth(this.latest, this.now));
    this.lateMs = Math.max(this.lateMs, this.latest - occurredAt);
    this.range.append(leafHash, (level, index, hash) => {
      if (level > 0 && level % 8 === 0)
        this.subtrees.push({ org: this.org, level: level / 8, index, hash, lastAt: this.latest });
    });
    return this.month;
  }

  head(): LogHead {
    return {
      seq: this.range.size,
      range: this.range.toBytes(),
      month: this.month,
      latest: this.latest,
      lateMs: this.lateMs,
    };
  }
}

function rangeOf(org: string, { seq, range }: LogHead): CompactRange {
  try {
    return CompactRange.from(seq, range);
  } catch (error) {
    throw new DamagedLog(`the head of the log of ${org} does not match its tree: ${(error as Error).message}`);
  }
}
