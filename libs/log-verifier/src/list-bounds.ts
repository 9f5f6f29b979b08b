import type { ExportedAuditEntry } from '@holdfast/contracts';
import type { Findings } from './findings.js';

/** The clocks of the service that wrote a record and of audit, which appended it, may differ by this much. */
const clockDifferenceMs = 3_600_000;
const monthForm = /^(\d{4})-(0[1-9]|1[0-2])$/;

/**
 * Checks the columns that lists use to find entries: lists read month by month, and turn a time span into a range of
 * sequence numbers (docs/adr/0011-audit-log-partitions.md). The columns are not part of the leaves, but the leaves
 * limit their values: within the limits a list omits no entry, and no entry is in a month in which it would be dropped
 * too early.
 */
export class ListBounds {
  /** The export is of an earlier version, without these columns. */
  absent = false;
  private withMonthCount = 0;
  /** Sequence numbers of the first entry without class and month, and of the first without `lastAt`; 0 for none. */
  private firstWithoutMonth = 0;
  private firstWithoutBound = 0;
  private month = '';
  /** The end of that month. Times are compared as strings, since all have the same form. */
  private monthEnd = '';
  private latest = '';
  private latestSeq = 0;
  /** The latest `lastAt`: no later entry happened before it by more than `lateMs`. */
  private bound = '';
  /** The entry that is furthest before the bound. */
  private late = { seq: 0, byMs: 0 };

  constructor(private readonly findings: Findings) {}

  /** @param occurredAt undefined when the leaf was dropped or changed */
  add({ seq, class: name, month, lastAt }: ExportedAuditEntry, occurredAt: string | undefined): void {
    if (month === undefined || name === undefined) this.firstWithoutMonth ||= seq;
    else {
      this.withMonthCount++;
      if (month !== this.month) this.startMonth(month, seq);
    }
    if (lastAt === undefined && seq % 256 === 0) this.firstWithoutBound ||= seq;
    if (occurredAt !== undefined) {
      if (month !== undefined && occurredAt >= this.monthEnd)
        this.findings.at(
          seq,
          `has the month ${month}, but happened later, at ${occurredAt}: the month was changed, and the entry would ` +
            'be dropped too early',
        );
      if (occurredAt > this.latest) [this.latest, this.latestSeq] = [occurredAt, seq];
      if (occurredAt < this.bound) this.addLate(seq, Date.parse(this.bound) - Date.parse(occurredAt));
    }
    if (lastAt !== undefined) this.addBound(seq, lastAt);
  }

  /** @param lateMs as stated by the log itself */
  end(lateMs: number | undefined): void {
    // Exports have either all of these columns or none: a single missing one was removed.
    if (lateMs === undefined && this.withMonthCount === 0) this.absent = true;
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
    const [, year, number] = monthForm.exec(month) ?? [];
    if (year === undefined) this.findings.at(seq, `has the month ${JSON.stringify(month)}, which is not a month`);
    // Reported for the first of the two, which is usually the changed one.
    else if (month < this.month)
      this.findings.at(
        seq - 1,
        `has the month ${this.month}, and the next entry, ${seq}, has ${month}: one of the two months was changed, ` +
          'and lists do not find that entry',
      );
    this.month = month;
    this.monthEnd =
      year === undefined
        ? '9999'
        : new Date(Date.UTC(Number(year), Number(number), 1) + clockDifferenceMs).toISOString();
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
