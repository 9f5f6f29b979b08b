/** ISO 8601 duration of whole numbers. Weeks may stand beside other units, as in ISO 8601-2 and in Temporal. */
const durationPattern =
  /^P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
const dayMs = 86_400_000;

/**
 * `from` plus an ISO 8601 duration, by the calendar in UTC: a month after the 31st of January is the last of February
 * (Temporal's `overflow: 'constrain'`). Years and months first, then the rest, as Temporal adds. @throws RangeError
 */
export function addDuration(from: Date, duration: string): Date {
  const match = durationPattern.exec(duration);
  if (!match) throw new RangeError(`"${duration}" is not an ISO 8601 duration`);
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((n) => Number(n ?? 0));
  const endMonth = from.getUTCFullYear() * 12 + from.getUTCMonth() + years * 12 + months;
  const lastDay = new Date(Date.UTC(0, 0, 1));
  lastDay.setUTCFullYear(Math.floor(endMonth / 12), (endMonth % 12) + 1, 0);
  const date = new Date(from);
  date.setUTCFullYear(
    lastDay.getUTCFullYear(),
    lastDay.getUTCMonth(),
    Math.min(from.getUTCDate(), lastDay.getUTCDate()),
  );
  const end = new Date(date.getTime() + (weeks * 7 + days) * dayMs + ((hours * 60 + minutes) * 60 + seconds) * 1000);
  if (Number.isNaN(end.getTime())) throw new RangeError(`"${duration}" exceeds the range of dates`);
  return end;
}

/** The shortest and the longest that a duration can be in ms, depending on its months and years. @throws RangeError */
export function durationBounds(duration: string): { minMs: number; maxMs: number } {
  const match = durationPattern.exec(duration);
  if (!match) throw new RangeError(`"${duration}" is not an ISO 8601 duration`);
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((n) => Number(n ?? 0));
  const fixed = (weeks * 7 + days) * dayMs + ((hours * 60 + minutes) * 60 + seconds) * 1000;
  // Whole years of months are years: P12M is P1Y, not twelve times the shortest month.
  const wholeYears = years + Math.floor(months / 12);
  const rest = months % 12;
  return {
    minMs: fixed + (wholeYears * 365 + minDays(rest)) * dayMs,
    maxMs: fixed + (wholeYears * 366 + Math.min(rest * 31, 366)) * dayMs,
  };
}

/** The fewest days that so many months in a row can have. */
function minDays(months: number): number {
  return [0, 28, 59, 89, 120, 150, 181, 212, 242, 273, 303, 334][months]!;
}

/**
 * When a credential issued at `now` expires: after its type's validity, at the latest at `validUntil`; undefined
 * without either.
 */
export function expirationAfter(now: Date, validity?: string, validUntil?: Date): Date | undefined {
  const end = validity === undefined ? undefined : addDuration(now, validity);
  return end && validUntil ? new Date(Math.min(end.getTime(), validUntil.getTime())) : (end ?? validUntil);
}
