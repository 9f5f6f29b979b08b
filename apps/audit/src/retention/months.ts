/** Months are counted from year 0, UTC: numbers can be ordered and subtracted without a time zone. */
export function monthOf(time: Date): number {
  return time.getUTCFullYear() * 12 + time.getUTCMonth();
}

/** `2026-11` */
export function monthName(month: number): string {
  return `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}`;
}
