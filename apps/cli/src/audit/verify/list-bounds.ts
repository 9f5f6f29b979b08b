import type { ExportedAuditEntry } from '@holdfast/contracts';
import type { Findings } from './findings.js';

/** The clock of who wrote a record and the clock of who gave it its place may differ by this much, in ms. */
const clocks = 3_600_000;
const monthForm = /^(\d{4})-(0[1-9]|1[0-2])$/;

/**
 * By what a list decides where to look: it goes from month to month, and turns a span of time into a span of places
 * (docs/adr/0011-audit-log-partitions.md). Nothing of that stands in a leaf, but what it may be follows from them:
 * then no entry is left out, and none lies in an earlier month than it must, where it would be dropped too early.
 */
export class ListBounds {
  /** Whether the export is from before it held them. */
  absent = false;
  /**
   * Entries that say where they lie; the first that do not, and that do not say up to when their part of the log goes.
   */
  private placed = 0;
  private unplaced = 0;
  private unbounded = 0;
  private month = '';
  /**
   * From when on nothing in that month may have happened. Times are compared as they are written: all have one form.
   */
  private monthEnd = '';
  private latest = '';
  private latestSeq = 0;
  /** The latest `lastAt`. */
  private bound = '';
  /** By how much an entry has come behind a bound, at most. */
  private late = { seq: 0, by: 0 };

  constructor(private readonly findings: Findings) {}

  /** @param occurredAt undefined when the leaf is gone or not what was logged */
  add({ seq, class: name, month, lastAt }: ExportedAuditEntry, occurredAt: string | undefined): void {
    if (month === undefined || name === undefined) this.unplaced ||= seq;
    else {
      this.placed++;
      if (month !== this.month) this.turnTo(month, seq);
    }
    if (lastAt === undefined && seq % 256 === 0) this.unbounded ||= seq;
    if (occurredAt !== undefined) {
      if (month !== undefined && occurredAt >= this.monthEnd)
        this.findings.at(
          seq,
          `lies in the month ${month}, before it happened, at ${occurredAt}: it was put there, where it would be dropped too early`,
        );
      if (occurredAt > this.latest) [this.latest, this.latestSeq] = [occurredAt, seq];
      if (occurredAt < this.bound) this.comeLate(seq, Date.parse(this.bound) - Date.parse(occurredAt));
    }
    if (lastAt !== undefined) this.passBound(seq, lastAt);
  }

  /** @param lateMs as the log itself says */
  end(lateMs: number | undefined): void {
    // All of it came into exports at the same time: what is missing alone was taken out.
    if (lateMs === undefined && this.placed === 0) this.absent = true;
    else {
      if (this.unplaced > 0)
        this.findings.at(
          this.unplaced,
          'does not say in which class and month it lies, as every entry of this export must: it was taken out',
        );
      if (this.unbounded > 0)
        this.findings.at(
          this.unbounded,
          'does not say up to when the log goes there (`lastAt`), as each 256th entry of this export must: it was taken out',
        );
      // Behind all others: a file that was cut off has lost it with its last line.
      if (lateMs === undefined)
        this.findings.add(
          Infinity,
          'The export does not say how late an entry may come (`lateMs`), as it must when entries say where they lie: it was taken out.',
        );
    }
    if (lateMs !== undefined && lateMs < this.late.by) {
      this.findings.at(
        this.late.seq,
        `happened ${this.late.by} ms before what the log says of the time up to there, and the log says that this is ${lateMs} at most: a list of what happened up to some time may leave it out`,
      );
    }
  }

  private turnTo(month: string, seq: number): void {
    const [, year, number] = monthForm.exec(month) ?? [];
    if (year === undefined) this.findings.at(seq, `lies in the month ${JSON.stringify(month)}, which is none`);
    // By the first of the two: mostly it is the one that was moved, to where no list goes any more.
    else if (month < this.month)
      this.findings.at(
        seq - 1,
        `lies in the month ${this.month}, and entry ${seq} behind it in ${month}: one of the two was put into another month, and lists do not find it`,
      );
    this.month = month;
    this.monthEnd =
      year === undefined ? '9999' : new Date(Date.UTC(Number(year), Number(number), 1) + clocks).toISOString();
  }

  private comeLate(seq: number, by: number): void {
    if (by > this.late.by) this.late = { seq, by };
  }

  private passBound(seq: number, bound: string): void {
    if (bound < this.latest) {
      this.findings.at(
        this.latestSeq,
        `happened at ${this.latest}, later than the log says that anything up to place ${seq} did: a list of what happened from some time on may leave it out`,
      );
    }
    if (bound > this.bound) this.bound = bound;
  }
}
