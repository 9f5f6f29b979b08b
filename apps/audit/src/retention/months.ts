/** Months are counted from year 0, UTC: numbers can be ordered and subtracted without a time zone. */
export function monthOf(time: Date): number {
  return time.getUTCFullYear() * 12 + time.getUTCMonth();
}

/** `2026-11` */
export function monthName(month: number): string {
  return `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}`;
}

/** The clock of the service that wrote a record and that of audit may differ by this much. */
const clockDifferenceMs = 3_600_000;
/** Partitions begin here: make_partitions() refuses earlier months. */
const firstMonth = 2000 * 12;

/**
 * The month in which an entry is appended: this one, unless nothing in the log, the entry included, has happened in it.
 * Then a verifier could not tell the entry from one that was moved to a later month (docs/audit-proofs.md).
 *
 * @param latest the latest `occurredAt` of the log, in ms
 */
export function appendMonth(latest: number, now: number): number {
  return Math.max(firstMonth, Math.min(now, monthOf(new Date(latest + clockDifferenceMs))));
}
