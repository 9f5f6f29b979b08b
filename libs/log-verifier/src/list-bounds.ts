import type { ExportedAuditEntry } from '@holdfast/contracts';
import type { Findings } from './findings.js';
import type { Unprovable } from './unprovable.js';

/** The clocks of the service that wrote a record and of audit, which appended it, may differ by this much. */
const clockDifferenceMs = 3_600_000;
const subtreeSize = 256;

/**
 * Checks the columns that lists use to find entries: lists read month by month, and turn a time span into a range of
 * sequence numbers (docs/adr/0011-audit-log-partitions.md). The columns are not part of the leaves, but the leaves
 * limit their values: within the limits a list omits no entry, and no entry is in a month in which it would be dropped
 * too early.
 */
export class ListBounds {
  /** The export is of an earlier version, without these columns. */
  absent = false;
  private hasColumn = false;
  /** Sequence numbers of the first entry without class and month, and of the first without `lastAt`; 0 for none. */
  private firstWithoutMonth = 0;
  private firstWithoutBound = 0;
  private month = '';
  /** The end of that month. Times are compared as strings, since all have the same form. */
  private monthEnd = '';
  /** The latest month in which the entries so far show that the log has grown: numbers as of monthOf(). */
  private provenMonth = 0;
  private latest = '';
  private latestSeq = 0;
  /** The latest `lastAt`: no later entry happened before it by more than `lateMs`. */
  private bound = '';
  /** The entry that is furthest before the bound. */
  private late = { seq: 0, byMs: 0 };

  constructor(
    private readonly findings: Findings,
    private readonly unprovable: Unprovable,
  ) {}

  /** @param occurredAt undefined when the leaf was dropped or changed */
  add({ seq, class: name, month, lastAt }: ExportedAuditEntry, occurredAt: string | undefined): void {
    if (month === undefined || name === undefined) this.firstWithoutMonth ||= seq;
    else if (month !== this.month) this.startMonth(month, seq);
    this.hasColumn ||= name !== undefined || month !== undefined || lastAt !== undefined;
    if (lastAt === undefined && seq % subtreeSize === 0) this.firstWithoutBound ||= seq;
    if (lastAt !== undefined && seq % subtreeSize !== 0)
      this.findings.at(seq, `has a lastAt, which only each ${subtreeSize}th entry has: it was inserted`);
    if (occurredAt !== undefined) {
      if (month !== undefined && occurredAt >= this.monthEnd)
        this.findings.at(
          seq,
          `has the month ${month}, but happened later, at ${occurredAt}: the month was changed, and the entry would ` +
            'be dropped too early',
        );
      if (occurredAt > this.latest) [this.latest, this.latestSeq] = [occurredAt, seq];
      if (month !== undefined) this.checkMonth(seq, month);
      if (occurredAt < this.bound) this.addLate(seq, Date.parse(this.bound) - Date.parse(occurredAt));
    }
    // Of an entry without bytes, the record of its drop names the month.
    else if (month !== undefined) this.provenMonth = Math.max(this.provenMonth, monthOf(month));
    if (lastAt !== undefined) this.addBound(seq, lastAt);
  }

  /** @param lateMs as stated by the log itself */
  end(lateMs: number | undefined): void {
    // Exports have either all of these columns or none: a single missing one was removed.
    if (lateMs === undefined && !this.hasColumn) this.absent = true;
    else {
      if (this.firstWithoutMonth > 0)
        this.findings.at(
          this.firstWithoutMonth,
          'has no class and month, which every entry of this export must have: they were removed',
        );
      if (this.firstWithoutBound > 0)
        this.findings.at(
          this.firstWithoutBound,
          'has no lastAt, which each 256th entry of this export must have: it was removed',
        );
      // Listed last, since a truncated file lacks it together with its last line.
      if (lateMs === undefined)
        this.findings.add(
          Infinity,
          'The export has no lateMs, which it must have when its entries have a class and month: it was removed.',
        );
    }
    if (lateMs !== undefined && lateMs < this.late.byMs) {
      this.findings.at(
        this.late.seq,
        `happened ${this.late.byMs} ms before an earlier lastAt, and the log allows ${lateMs} ms at most ` +
          '(lateMs): a list with an end time may omit it',
      );
    }
  }

  private startMonth(month: string, seq: number): void {
    // Reported for the first of the two, which is usually the changed one.
    if (month < this.month)
      this.findings.at(
        seq - 1,
        `has the month ${this.month}, and the next entry, ${seq}, has ${month}: one of the two months was changed, ` +
          'and lists do not find that entry',
      );
    this.month = month;
    const end = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 1) + clockDifferenceMs);
    // A time has four digits of the year: '~' is after all of them.
    this.monthEnd = end.getUTCFullYear() > 9999 ? '~' : end.toISOString();
  }

  /**
   * Audit appends to no month that is later than that of the latest entry so far, an hour later
   * (docs/adr/0011-audit-log-partitions.md).
   */
  private checkMonth(seq: number, month: string): void {
    const number = monthOf(month);
    if (number <= this.provenMonth) return;
    const latest = new Date(Date.parse(this.latest) + clockDifferenceMs);
    this.provenMonth = Math.max(this.provenMonth, latest.getUTCFullYear() * 12 + latest.getUTCMonth());
    const ahead = number - this.provenMonth;
    // Each later entry of this month would repeat the finding.
    this.provenMonth = Math.max(this.provenMonth, number);
    if (ahead === 1) this.unprovable.ahead.add(seq, 1);
    else if (ahead > 1)
      // A later entry with an earlier month says more.
      this.findings.add(
        seq,
        `Entry ${seq} has the month ${month}, but nothing up to it happened after ${this.latest}: the month was ` +
          'changed, lists do not find the entry, and it would be dropped too late.',
        2,
      );
  }

  private addLate(seq: number, byMs: number): void {
    if (byMs > this.late.byMs) this.late = { seq, byMs };
  }

  private addBound(seq: number, bound: string): void {
    if (bound < this.latest) {
      this.findings.at(
        this.latestSeq,
        `happened at ${this.latest}, after the lastAt of entry ${seq}: a list with a start time may omit it`,
      );
    }
    if (bound > this.bound) this.bound = bound;
  }
}

/** Months since year 0, of a text such as `2026-11`. */
function monthOf(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1;
}
