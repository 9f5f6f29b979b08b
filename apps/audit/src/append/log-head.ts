import { CompactRange } from '@holdfast/tlog';

/**
 * Where a log ends: all that is needed to go on with it, in one row, which whoever appends holds until its batch has
 * committed.
 */
export interface Head {
  /** The last place given out. */
  seq: number;
  /** Hashes of the perfect subtrees (CompactRange.toBytes). */
  range: Buffer;
  /** In which the last place was given, see monthOf(). */
  month: number;
  /** The latest time of all entries, in ms. */
  latest: number;
  /** By how many ms an entry has come behind a later one, at most: so that a span of time is a span of places. */
  lateMs: number;
}

export const emptyHead: Head = { seq: 0, range: Buffer.alloc(0), month: 0, latest: 0, lateMs: 0 };

/** A complete subtree of 256, 65536, … leaves (level 1, 2, …). */
export interface Subtree {
  org: string;
  level: number;
  index: number;
  hash: Buffer;
  /** The latest time of all entries up to its end, in ms. */
  lastAt: number;
}

/** Months are counted from year 0, UTC: a number orders and subtracts where a date would need a time zone. */
export function monthOf(time: Date): number {
  return time.getUTCFullYear() * 12 + time.getUTCMonth();
}

/** A log that can take no more until somebody has mended it: what is stored of it does not belong together. */
export class DamagedLog extends Error {
  override name = 'DamagedLog';
}

/** `2026-11` */
export function monthName(month: number): string {
  return `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}`;
}

/** A log that grows by entries, in their order. */
export class GrowingLog {
  private readonly range: CompactRange;
  private latest: number;
  private lateMs: number;
  readonly month: number;
  readonly subtrees: Subtree[] = [];

  /** @throws DamagedLog */
  constructor(
    private readonly org: string,
    before: Head,
    now: Date,
  ) {
    this.range = rangeOf(org, before);
    this.latest = before.latest;
    this.lateMs = before.lateMs;
    // A clock that goes back must not put a later place into an earlier month: reading goes from month to month.
    this.month = Math.max(before.month, monthOf(now));
  }

  get nextSeq(): number {
    return this.range.size + 1;
  }

  append(leafHash: Buffer, occurredAt: number): void {
    this.latest = Math.max(this.latest, occurredAt);
    this.lateMs = Math.max(this.lateMs, this.latest - occurredAt);
    this.range.append(leafHash, (level, index, hash) => {
      if (level > 0 && level % 8 === 0)
        this.subtrees.push({ org: this.org, level: level / 8, index, hash, lastAt: this.latest });
    });
  }

  head(): Head {
    return {
      seq: this.range.size,
      range: this.range.toBytes(),
      month: this.month,
      latest: this.latest,
      lateMs: this.lateMs,
    };
  }
}

function rangeOf(org: string, { seq, range }: Head): CompactRange {
  try {
    return CompactRange.from(seq, range);
  } catch (error) {
    throw new DamagedLog(`the head of ${org} does not belong to its tree: ${(error as Error).message}`);
  }
}
