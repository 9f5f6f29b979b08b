import type { ExportedAuditEntry } from '@holdfast/contracts';
import type { Findings } from './findings.js';

/** The clock of who wrote a record and the clock of who gave it its place may differ by this much, in ms. */
const clocks = 3_600_000;
const monthForm = /^(\d{4})-(0[1-9]|1[0-2])$/;

/**
 * By what a list decides where to look: it goes from month to month, and turns a span of time into a span of places
 * (docs/adr/0015-partitions-of-the-log.md). Nothing of that stands in a leaf, but what it may be follows from them: then no
 * entry is left out, and none lies in an earlier month than it must, where it would be dropped too early.
 */
export class ListBounds {
  /** Whether the export is from before it held them. */
  absent = false;
  private month = '';
  /** End of that month, in ms. */
  private monthEnd = 0;
  private latest = { seq: 0, at: -Infinity };
  /** The latest `lastAt`. */
  private bound = -Infinity;
  /** By how much an entry has come behind a bound, at most. */
  private late = { seq: 0, by: 0 };

  constructor(private readonly findings: Findings) {}

  /** @param occurredAt undefined when the leaf is gone or not what was logged */
  add({ seq, month, lastAt }: ExportedAuditEntry, occurredAt: string | undefined): void {
    if (month === undefined) this.absent = true;
    else if (month !== this.month) this.turnTo(month, seq);
    if (occurredAt !== undefined) {
      const at = Date.parse(occurredAt);
      if (month !== undefined && at - clocks >= this.monthEnd) this.findings.at(seq, `lies in the month ${month}, before it happened, at ${occurredAt}: it was put there, where it would be dropped too early`);
      if (at > this.latest.at) this.latest = { seq, at };
      if (this.bound - at > this.late.by) this.late = { seq, by: this.bound - at };
    }
    if (lastAt !== undefined) this.passBound(seq, Date.parse(lastAt));
  }

  /** @param lateMs as the log itself says */
  end(lateMs: number | undefined): void {
    if (lateMs === undefined) this.absent = true;
    else if (lateMs < this.late.by) {
      this.findings.at(this.late.seq, `happened ${this.late.by} ms before what the log says of the time up to there, and the log says that this is ${lateMs} at most: a list of what happened up to some time may leave it out`);
    }
  }

  private turnTo(month: string, seq: number): void {
    const [, year, number] = monthForm.exec(month) ?? [];
    if (year === undefined) this.findings.at(seq, `lies in the month ${JSON.stringify(month)}, which is none`);
    // By the first of the two: mostly it is the one that was moved, to where no list goes any more.
    else if (month < this.month) this.findings.at(seq - 1, `lies in the month ${this.month}, and entry ${seq} behind it in ${month}: one of the two was put into another month, and lists do not find it`);
    this.month = month;
    // Of no month it is not a number, which no time is beyond.
    this.monthEnd = Date.UTC(Number(year), Number(number), 1);
  }

  private passBound(seq: number, bound: number): void {
    if (bound < this.latest.at) {
      this.findings.at(this.latest.seq, `happened at ${new Date(this.latest.at).toISOString()}, later than the log says that anything up to place ${seq} did: a list of what happened from some time on may leave it out`);
    }
    this.bound = Math.max(this.bound, bound);
  }
}
